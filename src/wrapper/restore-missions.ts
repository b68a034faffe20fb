import type { Context } from '../context.ts'
import { type EndedBy, getMission, leaseHolder, listMissions, type MissionRecord } from '../db/missions.ts'
import { type Database, setPatience } from '../db/open-store.ts'
import { statusesOf, statusNow } from '../mission/mission-status.ts'
import { displayName } from '../mission/naming.ts'
import { missionService } from '../mission/open-service.ts'
import { withEnding } from '../mission/wrapper-note.ts'
import { shortId } from '../mission-id.ts'
import { showRestorable } from '../tmux/status-bar.ts'
import type { Tmux } from '../tmux/tmux.ts'
import { lastPlace } from '../tmux/window-order.ts'
import { whyNotResumable } from './find-conversation.ts'
import { AlreadyRunning } from './lease.ts'
import { openInSession } from './open-in-session.ts'
import { startHeadless } from './start-headless.ts'
import { startReserved } from './start-reserved.ts'

const patienceMs = 30_000
const pauseMs = 20
/** How long the end of a session may wait for the store. A mission may be writing to it at this moment. */
const rememberMs = 1_000

export interface Restored {
  id: string
  restored: boolean
  reason: string | null
}

/** The missions that crashed, and those that the last `tmux kill` ended, in the order of their last windows. */
export function restorableMissions(context: Context, db: Database): MissionRecord[] {
  const missions = listMissions(db)
  const statuses = statusesOf(context, missions)
  return missions
    .filter((mission, index) => statuses[index] === 'crashed' || isKilled(mission, statuses[index]!))
    .map(mission => ({ mission, place: lastPlace(context.paths, mission.id) }))
    .sort((a, b) => compare(a.place, b.place) || compare(a.mission.created_at, b.mission.created_at))
    .map(({ mission }) => mission)
}

function isKilled({ ended_by }: MissionRecord, status: string): boolean {
  return status === 'stopped' && ended_by === 'kill'
}

function compare<T extends number | string>(a: T, b: T): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/** Opens a window for each of them, one by one, and reports progress. */
export async function restoreAll(context: Context, db: Database, tmux: Tmux): Promise<Restored[]> {
  // Stores the endings that could not be stored earlier.
  missionService(context, db)
  const missions = restorableMissions(context, db)
  const results: Restored[] = []
  for (const [index, mission] of missions.entries()) {
    const reason = await restoreOne(context, db, tmux, mission, { isHeadless: mission.headless === 1 })
    const title = `${shortId(mission.id)} ${displayName(mission)}`
    context.err.line(
      `[${index + 1}/${missions.length}] ${title} ${reason === null ? 'restored' : `not restored: ${reason}`}`,
    )
    results.push({ id: mission.id, restored: reason === null, reason })
  }
  if (missions.length > 0) tmux.ask(showRestorable(results.filter(({ restored }) => !restored).length))
  return results
}

/**
 * Resolves to null when the mission runs again, otherwise to the reason why not. Missions are restored one by one,
 * because thirty Claudes that start at once would stall the machine.
 */
export async function restoreOne(
  context: Context,
  db: Database,
  tmux: Tmux,
  mission: MissionRecord,
  { isHeadless = false } = {},
): Promise<string | null> {
  const obstacle = await whyNotResumable(context, mission)
  if (obstacle !== null) return obstacle
  try {
    if (isHeadless) await startHeadless(context, db, mission)
    else await startReserved(context, db, mission, command => openInSession(context, tmux, mission, command))
  } catch (error) {
    if (!(error instanceof AlreadyRunning)) throw error
    return error.message
  }
  const whereToLook = isHeadless ? `'agenc mission show ${shortId(mission.id)}'` : 'its window'
  const deadline = Date.now() + patienceMs
  while (Date.now() < deadline) {
    const now = withEnding(context.paths, getMission(db, mission.id)!)
    const status = statusNow(context, now)
    if (status === 'running' && now.state !== 'starting') return null
    if (status !== 'running' && now.exit_at !== mission.exit_at) {
      const how = now.exit_signal ?? `exit code ${now.exit_code}`
      return `Claude ended right after its start (${how}); ${whereToLook} shows why`
    }
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
  return `it did not start in time; ${whereToLook} shows how far it got`
}

/**
 * Notes that `tmux kill` is about to end these missions, so that they can be restored together. Returns a function that
 * takes it back for some of them. If the store cannot be written now, the session ends without it.
 */
export function rememberKilled(
  context: Context,
  db: Database,
  running: readonly MissionRecord[],
): (spared: readonly MissionRecord[]) => void {
  const service = missionService(context, db)
  const mark = (missions: readonly MissionRecord[], ended_by: EndedBy | null) =>
    service.write(writer => {
      for (const mission of missions) writer.changeIfHeldBy(mission.id, leaseHolder(mission), { ended_by })
    })
  const isEarlier = ({ ended_by }: MissionRecord) => ended_by === 'kill'
  setPatience(db, rememberMs)
  try {
    mark(listMissions(db, { archived: true }).filter(isEarlier), 'user')
    mark(running, 'kill')
    return spared => mark(spared, null)
  } catch {
    return () => {}
  } finally {
    setPatience(db)
  }
}

/** The missions that `tmux kill` has ended since `at`, or is ending. */
export function killedSince(db: Database, at: Date): MissionRecord[] {
  return listMissions(db).filter(mission => {
    const isNew = mission.exit_at === null || Date.parse(mission.exit_at) >= at.getTime()
    return mission.ended_by === 'kill' && (isNew || leaseHolder(mission) !== null)
  })
}
