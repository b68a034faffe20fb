import type { Agent } from '../claude/agent.ts'
import { interactiveClaude } from '../claude/interactive.ts'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { type Database, openStore } from '../db/open-store.ts'
import { makePrivateDirectory, removeFile } from '../io/files.ts'
import { heartbeatMs } from '../mission/mission-status.ts'
import { missionService } from '../mission/open-service.ts'
import type { MissionService } from '../mission/service.ts'
import type { MissionId } from '../mission-id.ts'
import type { Surface } from '../surface/surface.ts'
import { type Guard, postGuard } from '../system/guard.ts'
import {
  ownIdentity,
  type ProcessIdentity,
  type ProcessProbe,
  systemProbe,
} from '../system/process-identity.ts'
import { endClaudeOfEarlierRun, setUpRepo } from './before-claude.ts'
import type { Ending } from './ending.ts'
import { beat, giveUpLease, releaseLease, takeLease } from './lease.ts'
import { type Log, openLog } from './log.ts'
import { RestartLoop } from './restart-loop.ts'
import { SignalListener } from './signal-policy.ts'

/** Shared by all parts of the wrapper. */
export interface Run {
  context: Context
  id: MissionId
  agent: Agent
  surface: Surface
  db: Database
  missions: MissionService
  signals: SignalListener
  probe: ProcessProbe
  log: Log
}

/** Runs one mission on this surface until its Claude ends. `opener` may have reserved the lease for this process. */
export async function runMission(
  context: Context,
  id: MissionId,
  config: Config,
  surface: Surface,
  opener: ProcessIdentity | null,
): Promise<Ending> {
  const signals = new SignalListener()
  const log = openLog(context.paths.mission(id).wrapperLog, context.now)
  const db = await openStore(context.paths.database)
  try {
    return await runUnderLease(
      {
        context,
        id,
        agent: interactiveClaude(context, id),
        surface,
        db,
        missions: missionService(context, db, log),
        signals,
        probe: systemProbe(context.exec),
        log,
      },
      config,
      opener,
    )
  } finally {
    db.close()
    signals.close()
  }
}

async function runUnderLease(run: Run, config: Config, opener: ProcessIdentity | null): Promise<Ending> {
  const { context, id, signals, probe, surface } = run
  const own = ownIdentity(probe)
  const before = takeLease(run, id, own, probe, context.now(), opener)
  const paths = context.paths.mission(id)
  const loop = new RestartLoop(run, config)
  const heart = setInterval(() => {
    tryToBeat(run)
    loop.tryAgain()
  }, heartbeatMs)
  let guard: Guard | null = null
  let ending: Ending | null = null
  try {
    makePrivateDirectory(paths.run)
    guard = postGuard(context.exec, [...context.self, 'mission', '_reap', id], context.env, paths.wakeup)
    await endClaudeOfEarlierRun(run, before, config)
    await setUpRepo(run, before, config, guard)
    ending = await loop.run()
    return ending
  } finally {
    clearInterval(heart)
    const closesWithUs = signals.received !== null && surface.diesOfSignals
    if (ending?.signal && !closesWithUs) surface.restore()
    if (ending) {
      releaseLease(run, id, own, ending)
      void guard?.dismiss()
    } else await giveUp(run, before, own, guard)
  }
}

/** Cleans up after a failed start. The FIFO is removed first: once the lease ends, it may belong to another wrapper. */
async function giveUp(
  run: Run,
  before: MissionRecord,
  own: ProcessIdentity,
  guard: Guard | null,
): Promise<void> {
  await guard?.dismiss()
  try {
    removeFile(run.context.paths.mission(run.id).wakeup)
  } catch {
    // An unwritable directory may be the reason for the failed start, so ignore errors here.
  }
  giveUpLease(run, before, own)
}

/** A store that is busy for a moment may cost a heartbeat, but must not end the mission. */
function tryToBeat({ missions, id, context, log }: Run): void {
  try {
    beat(missions, id, context.now())
  } catch (error) {
    log(`no heartbeat: ${(error as Error).message}`)
  }
}
