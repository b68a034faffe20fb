import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { openStore } from '../db/open-store.ts'
import { makePrivateDirectory, removeFile } from '../io/files.ts'
import { heartbeatMs } from '../mission/mission-status.ts'
import type { MissionId } from '../mission-id.ts'
import { restoreTerminal } from '../surface/terminal.ts'
import type { MissionWindow } from '../surface/tmux-window.ts'
import { type Guard, postGuard } from '../system/guard.ts'
import { systemProbe } from '../system/process-identity.ts'
import { endLeftover, setUp } from './before-claude.ts'
import { beat, type Ending, giveUpLease, releaseLease, takeLease } from './lease.ts'
import { openLog } from './log.ts'
import { rehearseLater } from './rehearsal.ts'
import { ClaudeRuns, type Shared } from './restart-loop.ts'
import { SignalListener } from './signal-listener.ts'
import { type EndingSignal, exitCodeFor } from './signal-policy.ts'
import { spoolPaths } from './spool.ts'

export interface Outcome {
  exitCode: number
  /** Claude gave up at once: what it said should stay readable. */
  failedEarly: boolean
  /** What told it to end, where it did not end by itself. */
  received: EndingSignal | null
}

const earlyMs = 2_000

/** Runs one mission in this terminal until its Claude ends. */
export async function runMission(
  context: Context,
  id: MissionId,
  config: Config,
  window: MissionWindow | null,
): Promise<Outcome> {
  const signals = new SignalListener()
  const db = await openStore(context.paths.database)
  const log = openLog(context.paths.mission(id).wrapperLog, context.now)
  const probe = systemProbe(context.exec)
  try {
    return await underLease({ context, db, id, signals, probe, log }, config, window)
  } finally {
    db.close()
    signals.close()
  }
}

async function underLease(shared: Shared, config: Config, window: MissionWindow | null): Promise<Outcome> {
  const { context, db, id, signals, probe } = shared
  const { now, exec, self, env, paths } = context
  const own = probe.identify(process.pid)!
  const mission = takeLease(db, id, own, probe, now())
  const { run } = paths.mission(id)
  const { bell } = spoolPaths(run)
  const runs = new ClaudeRuns(shared, config, window)
  const heart = setInterval(() => {
    tryToBeat(shared)
    runs.observer?.lookAgain()
  }, heartbeatMs)
  rehearseLater(shared, () => runs.observer?.hear())
  let guard: Guard | null = null
  let ending: Ending | null = null
  try {
    makePrivateDirectory(run)
    guard = postGuard(exec, [...self, 'mission', '_reap', id], env, bell)
    const beginning = { ...shared, mission, config, guardPid: guard.pid }
    await endLeftover(beginning)
    await setUp(beginning)
    ending = await runs.run()
    return outcomeOf(ending, signals.received, runs.startedMs)
  } finally {
    clearInterval(heart)
    const closesItsWindow = signals.received !== null && window !== null
    if (ending?.signal && !closesItsWindow) restoreTerminal(exec)
    if (ending) {
      releaseLease(db, id, own, ending, now())
      void guard?.dismiss()
    } else {
      // Nothing is left to be guarded. Once the lease is given up, the bell may be somebody else's.
      await guard?.dismiss()
      tryToRemove(bell)
      giveUpLease(db, mission, own, now())
    }
  }
}

function outcomeOf({ code, signal }: Ending, received: EndingSignal | null, startedMs: number): Outcome {
  return {
    exitCode: exitCodeFor(code, signal),
    failedEarly: code !== 0 && received === null && Date.now() - startedMs < earlyMs,
    received,
  }
}

/** What kept Claude from being started may be just that. */
function tryToRemove(path: string): void {
  try {
    removeFile(path)
  } catch {}
}

/** A store that is busy for once costs a beat, not the mission. */
function tryToBeat({ db, id, context, log }: Shared): void {
  try {
    beat(db, id, context.now())
  } catch (error) {
    log(`no beat: ${(error as Error).message}`)
  }
}
