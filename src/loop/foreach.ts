import type { Context } from '../context.ts'
import { getMission, type MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { withStore } from '../db/with-store.ts'
import { isCancelled } from '../errors.ts'
import { untilChange } from '../mission/followers.ts'
import type { ResultJson } from '../mission/mission-json.ts'
import { WrapperLives } from '../mission/wrapper-lives.ts'
import type { MissionId } from '../mission-id.ts'
import { startHeadless } from '../wrapper/start-headless.ts'
import { stopMissions } from '../wrapper/stop-missions.ts'

/** `running`: it was left running, because the user interrupted the command. */
export type Outcome = 'ok' | 'failed' | 'running' | 'not_started'

/** What became of one line. */
export interface Done<Order> {
  order: Order
  id: MissionId | null
  outcome: Outcome
  result: ResultJson | null
  reason: string | null
}

export interface Queue<Order> {
  orders: readonly Order[]
  maxRunning: number
  create: (db: Database, order: Order) => Promise<MissionRecord>
  /** Called when a mission has started, and when it is done. */
  onProgress: (counts: Counts) => void
  onDone: (done: Done<Order>) => void
  signal: AbortSignal
}

export interface Counts {
  running: number
  done: number
  failed: number
  all: number
}

/**
 * Runs one mission without a terminal per order, only some of them at the same time. Each is stopped when its turn is
 * over. If interrupted, those that run are left alone, and no more are started.
 */
export async function runQueue<Order>(context: Context, queue: Queue<Order>): Promise<Done<Order>[]> {
  const outcomes: Done<Order>[] = queue.orders.map(order => ({
    order,
    id: null,
    outcome: 'not_started',
    result: null,
    reason: null,
  }))
  const counts: Counts = { running: 0, done: 0, failed: 0, all: outcomes.length }
  let next = 0
  const work = async () => {
    while (next < outcomes.length && !queue.signal.aborted) {
      const index = next++
      counts.running++
      queue.onProgress(counts)
      const done = await runOne(context, queue, outcomes[index]!)
      outcomes[index] = done
      counts.running--
      if (done.outcome === 'running') continue
      counts.done++
      if (done.outcome === 'failed') counts.failed++
      queue.onDone(done)
      queue.onProgress(counts)
    }
  }
  await Promise.all(Array.from({ length: queue.maxRunning }, work))
  return outcomes
}

async function runOne<Order>(
  context: Context,
  { create, signal }: Queue<Order>,
  open: Done<Order>,
): Promise<Done<Order>> {
  let id: MissionId | null = null
  try {
    id = await withStore(context, async db => {
      const mission = await create(db, open.order)
      await startHeadless(context, db, mission)
      return mission.id
    })
    const result = await untilResult(context, id, signal)
    await withStore(context, async db => {
      const mission = getMission(db, id!)
      if (mission) await stopMissions(context, db, [mission])
    })
    if (result === null)
      return { ...open, id, outcome: 'failed', reason: 'it ended before Claude had answered' }
    const reason = result.is_error ? (result.text ?? 'the turn was interrupted') : null
    return { ...open, id, outcome: result.is_error ? 'failed' : 'ok', result, reason }
  } catch (error) {
    if (isCancelled(error)) return { ...open, id, outcome: 'running' }
    return { ...open, id, outcome: 'failed', reason: error instanceof Error ? error.message : String(error) }
  }
}

/** Waits until a turn is over. Resolves to null if the mission ended before that. */
async function untilResult(context: Context, id: MissionId, signal: AbortSignal): Promise<ResultJson | null> {
  let lives: WrapperLives | undefined
  const look = (db: Database | null, wake: () => void): { result: ResultJson | null } | undefined => {
    lives ??= new WrapperLives(context, wake)
    const mission = db && getMission(db, id)
    if (!mission) return { result: null }
    const { state, background } = mission
    const result: ResultJson | null = mission.result && JSON.parse(mission.result)
    const isRunning = lives.statusesOf([mission])[0] === 'running'
    const isOver = result !== null && state === 'idle' && background === 0
    return isOver || !isRunning ? { result } : undefined
  }
  try {
    return (await untilChange(context, look, { signal }))?.result ?? null
  } finally {
    lives?.close()
  }
}
