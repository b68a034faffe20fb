import type { Context } from '../context.ts'
import { eventsAfter, type MissionEvent, newestEvent } from '../db/events.ts'
import { listMissions, type MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { readStore } from '../db/with-store.ts'
import { AgencError } from '../errors.ts'
import type { MissionId } from '../mission-id.ts'
import { untilChange } from './followers.ts'
import { describeMissions } from './list.ts'

/** A line of `agenc events --json`. */
export type EventJson = Omit<MissionEvent, 'mission_id'> & { mission_id: MissionId | null }

/** Takes one event. Returns false to end the feed. */
export type EventSink = (event: EventJson) => boolean

interface FeedOptions {
  /** Only events of this mission. */
  mission: MissionId | null
  /** Only events after this number. Null to begin with a snapshot. */
  since: number | null
  /** Goes on with the changes that are still to come, until this signal. */
  follow: AbortSignal | null
}

/** Enough for speed, and few enough that a slow reader does not make this process grow. */
const pageLength = 500

/** Passes on the missions as they are, or the events since some number, and then each change as it happens. */
export async function feedEvents(
  context: Context,
  { mission, since, follow }: FeedOptions,
  sink: EventSink,
): Promise<void> {
  let at = since
  if (at === null) {
    const snapshot = await readStore(context, db => takeSnapshot(context, db, mission))
    if (!snapshot.every(sink)) return
    at = snapshot.at(-1)!.id
  }
  let last = at
  const passOn = (db: Database | null): true | undefined => {
    refuseUnknown(db, last)
    for (;;) {
      const page = db ? eventsAfter(db, last, { mission, most: pageLength }) : []
      for (const event of page) {
        if (!sink(event)) return true
        last = event.id
      }
      if (page.length < pageLength) return follow === null ? true : undefined
    }
  }
  if (follow === null) await readStore(context, passOn)
  else await untilChange(context, passOn, { signal: follow })
}

/** One event per mission, and one that ends the snapshot. All have the number of the newest event. */
async function takeSnapshot(
  context: Context,
  db: Database | null,
  mission: MissionId | null,
): Promise<EventJson[]> {
  const at = context.now().toISOString()
  const read = db?.transaction(() => ({
    id: newestEvent(db),
    records: listMissions(db, { archived: true }),
  }))
  const { id, records } = read?.() ?? { id: 0, records: [] as MissionRecord[] }
  const wanted = records.filter(record => mission === null || record.id === mission)
  const missions = db ? await describeMissions(context, db, wanted) : []
  return [
    ...missions.map(data => ({ id, mission_id: data.id, at, kind: 'mission', data: { ...data } })),
    { id, mission_id: null, at, kind: 'snapshot', data: { missions: missions.length } },
  ]
}

/** Numbers only ever grow, so a number that is still to come belongs to another store. */
function refuseUnknown(db: Database | null, since: number): void {
  const newest = db ? newestEvent(db) : 0
  if (since > newest)
    throw new AgencError(
      `there is no event ${since}: the newest is ${newest}, so the store has been replaced`,
      'Start again without --since.',
    )
}
