import { stopGraceMs } from '../config/read.ts'
import type { Context } from '../context.ts'
import { getLoop, type LoopRecord } from '../db/loops.ts'
import type { Database } from '../db/open-store.ts'
import { ownIdentity, systemProbe } from '../system/process-identity.ts'
import { signalPolitely, signalProcesses, waitUntilGone } from '../system/process-tree.ts'
import { changeLoop, runnerOf, takeLoop } from './loop-lease.ts'
import { endTurn } from './loop-mission.ts'
import { endLeftCheck } from './run-check.ts'

/** How much longer than Claude's grace period a runner may take to end. */
const runnerMs = 8_000

/** Ends the runner of a loop, its check, and the turn of its mission. Returns false if the loop did not run. */
export async function stopLoop(context: Context, db: Database, { id, status }: LoopRecord): Promise<boolean> {
  if (status !== 'running') return false
  const probe = systemProbe(context.exec)
  const runner = runnerOf(getLoop(db, id)!)
  if (runner !== null && probe.liveness([runner])[0] === 'alive') {
    signalPolitely(probe, [runner], 'SIGTERM')
    const graceMs = (await stopGraceMs(context.paths)) + runnerMs
    if (!(await waitUntilGone(probe, [runner], graceMs))) {
      signalProcesses(probe, [runner], 'SIGKILL')
      await waitUntilGone(probe, [runner], runnerMs)
    }
  }
  if (getLoop(db, id)?.status === 'running') await endForKilledRunner(context, db, id)
  return true
}

/** Does what the runner would have done. */
async function endForKilledRunner(context: Context, db: Database, id: string): Promise<void> {
  const probe = systemProbe(context.exec)
  const loop = takeLoop(context, db, id, ownIdentity(probe))
  const { check_pid: pid, check_start: start } = loop
  if (pid !== null && start !== null) endLeftCheck(context, { pid, start })
  await endTurn(context, db, loop)
  changeLoop(context, db, id, {
    status: 'stopped',
    reason: 'it was stopped',
    ended_at: context.now().toISOString(),
    runner_pid: null,
    runner_start: null,
    check_pid: null,
    check_start: null,
  })
}
