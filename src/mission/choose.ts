import { type Context, isInteractive } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { getMission, listMissions } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError, usageError } from '../errors.ts'
import { pick } from '../io/picker.ts'
import { ago } from '../io/relative-time.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { displayRepo } from '../repo/reference.ts'
import { displayName } from './naming.ts'

/** The mission that the user named or, if there is a terminal, picks. */
export async function chooseMission(
  context: Context,
  db: Database | null,
  word: string | undefined,
  isCandidate: (mission: MissionRecord) => boolean = () => true,
): Promise<MissionRecord> {
  const missions = db ? listMissions(db, { archived: true }) : []
  if (word !== undefined) return resolveMission(word, missions, context.env)
  const candidates = missions.filter(isCandidate)
  if (!isInteractive(context))
    throw usageError('No mission given.', "Name one; 'agenc mission ls' lists them.")
  if (candidates.length === 0)
    throw new AgencError('There is no mission to choose from.', "Run 'agenc mission ls -a'.")
  const now = context.now()
  const id = await pick(
    context,
    'mission',
    candidates.map(mission => ({
      value: mission.id,
      cells: [
        shortId(mission.id),
        mission.repo ? displayRepo(mission.repo) : '(blank)',
        mission.name ? displayName(mission) : '',
        ago(mission.last_active_at, now),
      ],
    })),
  )
  // A picker may stay open for hours.
  const picked = db && getMission(db, id)
  if (!picked)
    throw new AgencError(`${shortId(id)} has been deleted in the meantime`, "Run 'agenc mission ls -a'.")
  return picked
}

/** Each named mission once, in the order named. */
export async function chooseMissions(
  context: Context,
  db: Database,
  words: readonly string[],
): Promise<MissionRecord[]> {
  if (words.length === 0) return [await chooseMission(context, db, undefined)]
  const missions = listMissions(db, { archived: true })
  const chosen = words.map(word => resolveMission(word, missions, context.env))
  return chosen.filter((mission, index) => chosen.findIndex(({ id }) => id === mission.id) === index)
}

const shortestPrefix = 4
const mostCandidates = 8

interface Named {
  id: MissionId
  name: string | null
  repo: string | null
}

/** Accepts a full UUID, a unique prefix of at least 4 characters, or `.` for the mission that this process runs in. */
export function resolveMission<M extends Named>(
  word: string,
  missions: readonly M[],
  env: NodeJS.ProcessEnv,
): M {
  if (word === '.') return resolveHere(missions, env)
  const prefix = word.toLowerCase()
  if (prefix.length < shortestPrefix) {
    throw usageError(`${JSON.stringify(word)} is too short for a mission id`, 'Give at least 4 characters.')
  }
  const matches = missions.filter(mission => mission.id.startsWith(prefix))
  if (matches.length === 1) return matches[0]!
  if (matches.length > 1) {
    throw usageError(`${JSON.stringify(word)} matches ${matches.length} missions`, candidates(matches))
  }
  throw usageError(`no mission ${JSON.stringify(word)}`, candidates(missions))
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
