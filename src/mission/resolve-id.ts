import { usageError } from '../errors.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { displayName } from './naming.ts'

const shortestPrefix = 4
const mostCandidates = 8

interface Named {
  id: MissionId
  name: string | null
  repo: string | null
}

/** A full UUID, a unique prefix of at least 4 characters, or `.` for the mission this runs in. */
export function resolveMission<M extends Named>(
  word: string,
  missions: readonly M[],
  env: NodeJS.ProcessEnv,
): M {
  if (word === '.') return resolveHere(missions, env)
  const prefix = word.toLowerCase()
  if (prefix.length < shortestPrefix) {
    throw usageError(
      `${JSON.stringify(word)} is too short for a mission id`,
      'Give at least 4 characters of it.',
    )
  }
  const matches = missions.filter(mission => mission.id.startsWith(prefix))
  if (matches.length === 1) return matches[0]!
  if (matches.length > 1) {
    throw usageError(
      `${JSON.stringify(word)} could be any of ${matches.length} missions`,
      candidates(matches),
    )
  }
  throw usageError(`no mission ${JSON.stringify(word)}`, candidates(missions))
}

function resolveHere<M extends Named>(missions: readonly M[], env: NodeJS.ProcessEnv): M {
  const id = env.AGENC_MISSION_UUID
  if (!id)
    throw usageError("'.' means the mission this runs in, but this is not in one", "Run 'agenc mission ls'.")
  const found = missions.find(mission => mission.id === id)
  if (!found)
    throw usageError(`the mission this runs in, ${id}, is not in the store`, "Run 'agenc mission ls -a'.")
  return found
}

function candidates(missions: readonly Named[]): string {
  if (missions.length === 0) return "There are no missions yet: start one with 'agenc mission new'."
  const lines = missions
    .slice(0, mostCandidates)
    .map(mission => `  ${shortId(mission.id)}  ${displayName(mission)}`)
  const more = missions.length > mostCandidates ? [`  … and ${missions.length - mostCandidates} more`] : []
  return ['Missions:', ...lines, ...more].join('\n')
}
