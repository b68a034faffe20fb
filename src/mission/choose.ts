import { type Context, isInteractive } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { getMission, listMissions } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError, usageError } from '../errors.ts'
import { pick } from '../io/picker.ts'
import { ago } from '../io/relative-time.ts'
import { shortId } from '../mission-id.ts'
import { displayRepo } from '../repo/reference.ts'
import { resolveMission } from './resolve-mission.ts'

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
        mission.name ?? mission.about ?? '',
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
