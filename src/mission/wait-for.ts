import { existsSync } from 'node:fs'
import type { Context } from '../context.ts'
import { needsAnswer } from '../db/approvals.ts'
import { openMessages } from '../db/messages.ts'
import { getMission, type MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { readStore } from '../db/with-store.ts'
import { AgencError } from '../errors.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { type Following, untilChange } from './followers.ts'
import { lastMessageOf } from './last-message.ts'
import { describeMissions } from './list.ts'
import type { MissionJson } from './mission-json.ts'
import type { Status } from './mission-status.ts'
import { isStuck } from './stuck-message.ts'
import { WrapperLives } from './wrapper-lives.ts'

/**
 * `idle`: the turn is over, no task runs in the background, and Claude is about to take nothing else. `waiting`: for the
 * user. `end`: it does not run. `any`: one of these.
 */
export type Until = 'idle' | 'waiting' | 'end' | 'any'

export interface Waited {
  mission: MissionJson
  isReached: boolean
  /** The whole text of what Claude said last. */
  lastMessage: string | null
  /** The mission was deleted while this process waited. */
  isGone: boolean
}

export interface WaitOptions extends Following {
  until: Until
  needs: 'all' | 'any'
  /** Called when it is known whether a mission gets there, in the order in which that happens. */
  onSettled?: (waited: Waited) => void
}

/**
 * Waits until all missions have got there, or any of them, and sleeps in between. A mission that cannot get there any more
 * is not waited for. Of a mission that gets there and goes on, the moment at which it got there counts.
 */
export async function waitForMissions(
  context: Context,
  ids: readonly MissionId[],
  { until, needs, onSettled = () => {}, ...following }: WaitOptions,
): Promise<{ isTimeUp: boolean; missions: Waited[] }> {
  const settled = new Map<MissionId, Waited>()
  const lastSeen = await readStore(context, db => recordsOf(db, ids))
  let lives: WrapperLives | undefined

  const look = async (db: Database | null, wake: () => void): Promise<true | undefined> => {
    lives ??= new WrapperLives(context, wake)
    const open = ids.filter(id => !settled.has(id))
    const records = [...recordsOf(db, open).values()]
    for (const record of records) lastSeen.set(record.id, record)
    const statuses = lives.statusesOf(records)
    const found = records.flatMap((record, index): Found[] => {
      const isReached = verdictOn(until, standingOf(context, db!, record, statuses[index]!))
      return isReached === null ? [] : [{ record, isReached, isGone: false }]
    })
    const goneIds = open.filter(id => records.every(record => record.id !== id))
    const gone = goneIds.map(id => {
      const record = recordOfGone(id, lastSeen.get(id))
      return { record, isReached: verdictOn(until, 'ended')!, isGone: true }
    })
    for (const waited of await describe(context, db, [...found, ...gone])) {
      settled.set(waited.mission.id, waited)
      onSettled(waited)
    }
    const isOneThere = [...settled.values()].some(({ isReached }) => isReached)
    return settled.size === new Set(ids).size || (needs === 'any' && isOneThere) ? true : undefined
  }

  try {
    const isTimeUp = (await untilChange(context, look, following)) === undefined
    const open = [...lastSeen.values()].filter(({ id }) => !settled.has(id))
    const asTheyAre = open.map(record => ({ record, isReached: false, isGone: false }))
    for (const waited of await readStore(context, db => describe(context, db, asTheyAre)))
      settled.set(waited.mission.id, waited)
    return { isTimeUp, missions: [...new Set(ids)].map(id => settled.get(id)!) }
  } finally {
    lives?.close()
  }
}

function recordsOf(db: Database | null, ids: readonly MissionId[]): Map<MissionId, MissionRecord> {
  const records = ids.map(id => db && getMission(db, id)).filter(record => record != null)
  return new Map(records.map(record => [record.id, record]))
}

interface Found {
  record: MissionRecord
  isReached: boolean
  isGone: boolean
}

async function describe(context: Context, db: Database | null, found: readonly Found[]): Promise<Waited[]> {
  if (db === null || found.length === 0) return []
  const missions = await describeMissions(
    context,
    db,
    found.map(({ record }) => record),
  )
  return missions.map((mission, index) => {
    const { isReached, isGone } = found[index]!
    return { mission, isReached, isGone, lastMessage: lastMessageOf(context.paths, mission) }
  })
}

function recordOfGone(id: MissionId, last: MissionRecord | undefined): MissionRecord {
  if (last) return { ...last, wrapper_pid: null, wrapper_start: null, ended_by: 'user' }
  throw new AgencError(`mission ${shortId(id)} has been deleted`, "Run 'agenc mission ls -a'.")
}

type Standing = 'working' | 'idle' | 'waiting' | 'ended'

function standingOf(context: Context, db: Database, mission: MissionRecord, status: Status): Standing {
  if (status !== 'running') return 'ended'
  if (mission.state === 'waiting') return needsUser(db, mission) ? 'waiting' : 'working'
  const isAtRest = mission.state === 'idle' && mission.background === 0
  return isAtRest && !hasMoreToDo(context, db, mission.id) ? 'idle' : 'working'
}

/** Claude's status shows a dialog already before its request is known, and still when a rule has answered it. */
function needsUser(db: Database, { id, waiting_for }: MissionRecord): boolean {
  return waiting_for !== 'permission' || needsAnswer(db, id)
}

/** Whether Claude is about to take its first prompt, or a message. */
function hasMoreToDo({ paths }: Context, db: Database, id: MissionId): boolean {
  const { prompt, promptTaken } = paths.mission(id)
  return (
    existsSync(prompt) || existsSync(promptTaken) || openMessages(db, id).some(message => !isStuck(message))
  )
}

/** True if the mission has got there, false if it cannot any more, null if it still may. */
function verdictOn(until: Until, standing: Standing): boolean | null {
  if (standing === 'ended') return until === 'end' || until === 'any'
  const isReached = standing === until || (until === 'any' && standing !== 'working')
  return isReached ? true : null
}
