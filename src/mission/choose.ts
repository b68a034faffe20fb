import { type Context, isInteractive } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { getMission, listMissions, listRemovedMissions } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError, usageError } from '../errors.ts'
import { shortId } from '../mission-id.ts'
import type { PickerOptions } from './pick-mission.ts'
import { resolveMission } from './resolve-mission.ts'

/** For commands that accept a mission that `rm` has deleted, if the user names it. */
export interface AlsoRemoved {
  removed?: boolean
}

/** The mission that the user named or, if there is a terminal, picks. */
export async function chooseMission(
  context: Context,
  db: Database | null,
  word: string | undefined,
  picker: PickerOptions = { title: 'Pick a mission' },
  { removed }: AlsoRemoved = {},
): Promise<MissionRecord> {
  const missions = db ? listMissions(db, { archived: true }) : []
  if (word !== undefined)
    return resolveMission(word, missions, context.env, db && removed ? listRemovedMissions(db) : [])
  if (!isInteractive(context))
    throw usageError('No mission given.', "Name one; 'agenc mission ls' lists them.")
  if (db === null || missions.length === 0)
    throw new AgencError('There is no mission to choose from.', "Run 'agenc mission ls -a'.")
  const { pickMission } = await import('./pick-mission.ts')
  const id = await pickMission(context, db, missions, picker)
  // A picker may stay open for hours.
  const picked = getMission(db, id)
  if (!picked)
    throw new AgencError(`${shortId(id)} has been deleted in the meantime`, "Run 'agenc mission ls -a'.")
  return picked
}

/** Each named mission once, in the order named. */
export async function chooseMissions(
  context: Context,
  db: Database,
  words: readonly string[],
  picker?: PickerOptions,
  { removed }: AlsoRemoved = {},
): Promise<MissionRecord[]> {
  if (words.length === 0) return [await chooseMission(context, db, undefined, picker)]
  const missions = listMissions(db, { archived: true })
  const gone = removed ? listRemovedMissions(db) : []
  const chosen = words.map(word => resolveMission(word, missions, context.env, gone))
  return chosen.filter((mission, index) => chosen.findIndex(({ id }) => id === mission.id) === index)
}
