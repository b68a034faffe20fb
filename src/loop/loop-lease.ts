import type { Context } from '../context.ts'
import type { LoopChange, LoopRecord } from '../db/loops.ts'
import { getLoop, loopsOf, updateLoop } from '../db/loops.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError, usageError } from '../errors.ts'
import { wakeFollowers } from '../mission/followers.ts'
import type { MissionId } from '../mission-id.ts'
import { isSameProcess, type ProcessIdentity, systemProbe } from '../system/process-identity.ts'
import { shortLoopId } from './loop-json.ts'

/** The process that runs the loop, or that is about to start its runner. Null if none does. */
export function runnerOf({ runner_pid, runner_start }: LoopRecord): ProcessIdentity | null {
  return runner_pid === null || runner_start === null ? null : { pid: runner_pid, start: runner_start }
}

/** Whether a process has the loop. A process that cannot be seen from here counts as one. */
export function isRun(context: Context, loop: LoopRecord): boolean {
  const runner = runnerOf(loop)
  return runner !== null && systemProbe(context.exec).liveness([runner])[0] !== 'dead'
}

/** Changes a loop, and tells the processes that follow missions. */
export function changeLoop(context: Context, db: Database, id: string, change: LoopChange): void {
  updateLoop(db, id, change)
  wakeFollowers(context.paths)
}

/**
 * Gives the loop to a process, in one transaction, unless another one has it. `from` is the process that has started this
 * one for the loop. `change` is made together with it.
 */
export function takeLoop(
  context: Context,
  db: Database,
  id: string,
  own: ProcessIdentity,
  { from = null, change }: { from?: ProcessIdentity | null; change?: (loop: LoopRecord) => LoopChange } = {},
): LoopRecord {
  const taken = db
    .transaction(() => {
      const loop = getLoop(db, id)
      if (loop === undefined) throw usageError(`no loop ${JSON.stringify(id)}`, "Run 'agenc loop ls'.")
      const isGiven = from !== null && isSameProcess(runnerOf(loop), from)
      if (!isGiven && isRun(context, loop)) throw alreadyRuns(loop)
      refuseSecondLoop(context, db, loop.mission_id, id)
      const more = change?.(loop) ?? {}
      updateLoop(db, id, { ...more, runner_pid: own.pid, runner_start: own.start })
      return getLoop(db, id)!
    })
    .immediate()
  wakeFollowers(context.paths)
  return taken
}

/** Call it inside a transaction. Two loops would give one Claude two aims. */
export function refuseSecondLoop(
  context: Context,
  db: Database,
  mission: MissionId,
  except: string | null = null,
): void {
  const other = loopsOf(db, mission).find(
    loop => loop.id !== except && loop.status === 'running' && isRun(context, loop),
  )
  if (other) throw alreadyRuns(other)
}

function alreadyRuns({ id }: LoopRecord): AgencError {
  const short = shortLoopId(id)
  return new AgencError(
    `loop ${short} is already running`,
    `Follow it with: agenc loop log ${short} --follow\nStop it with: agenc loop stop ${short}`,
  )
}
