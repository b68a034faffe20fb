import { usageError } from '../errors.ts'
import { cleanText } from '../io/text.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { displayName } from './naming.ts'

const shortestPrefix = 4
const mostCandidates = 8

interface Named {
  id: MissionId
  name: string | null
  repo: string | null
}

/**
 * Accepts an id, the beginning of one (at least 4 characters), a name, the beginning of one, or `.` for the mission that
 * this process runs in. The first of these that fits any mission decides, so no name can hide a mission's id. If none of
 * `missions` fits, one of `removed` may, by its id, the beginning of one, or its whole name.
 */
export function resolveMission<M extends Named>(
  word: string,
  missions: readonly M[],
  env: NodeJS.ProcessEnv,
  removed: readonly M[] = [],
): M {
  if (word === '.') return resolveHere(missions, env)
  const shown = JSON.stringify(cleanText(word))
  const matches = firstMatches(cleanText(word), missions, removed)
  if (matches.length === 1) return matches[0]!
  if (matches.length > 1) throw usageError(`${shown} matches ${matches.length} missions`, candidates(matches))
  if (word.length < shortestPrefix && /^[0-9a-f]+$/i.test(word))
    throw usageError(`${shown} is too short for a mission id`, 'Give at least 4 characters.')
  throw usageError(`no mission ${shown}`, candidates(missions))
}

function firstMatches<M extends Named>(word: string, missions: readonly M[], removed: readonly M[]): M[] {
  if (word === '') return []
  const lower = word.toLowerCase()
  const nameOf = ({ name }: Named) => cleanText(name ?? '')
  const ways: ((mission: M) => boolean)[] = [
    ({ id }) => id === lower,
    ({ id }) => lower.length >= shortestPrefix && id.startsWith(lower),
    mission => nameOf(mission) === word,
    mission => nameOf(mission).toLowerCase() === lower,
    mission => nameOf(mission).toLowerCase().startsWith(lower),
  ]
  const found = ways.map(fits => missions.filter(fits))
  const exact = ways.slice(0, 3).map(fits => removed.filter(fits))
  return [...found, ...exact].find(matches => matches.length > 0) ?? []
}

function resolveHere<M extends Named>(missions: readonly M[], env: NodeJS.ProcessEnv): M {
  const id = env.AGENC_MISSION_UUID || env.AGENC_HERE
  if (!id) throw usageError('"." works only inside a mission', "Run 'agenc mission ls'.")
  const found = missions.find(mission => mission.id === id)
  if (!found)
    throw usageError(`the mission this runs in (${id}) no longer exists`, "Run 'agenc mission ls -a'.")
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
