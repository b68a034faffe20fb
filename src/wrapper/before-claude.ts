import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/mission-record.ts'
import { updateMission } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError } from '../errors.ts'
import { repoConfig } from '../mission/permission.ts'
import { maySetUp, runSetup } from '../mission/repo-setup.ts'
import type { ProcessProbe } from '../system/process-identity.ts'
import { endTree, listTree } from '../system/process-tree.ts'
import { endLeftoverClaude } from './orphaned-claude.ts'
import type { SignalListener } from './signal-listener.ts'
import { onEndingSignal } from './signal-policy.ts'

/** What there is before there is a Claude. */
export interface Beginning {
  context: Context
  db: Database
  /** As it was when the lease was taken. */
  mission: MissionRecord
  config: Config
  signals: SignalListener
  probe: ProcessProbe
  guardPid: number | undefined
}

/** The last wrapper was killed and its Claude lives on: two of them must never share a conversation. */
export async function endLeftover({ context, db, probe, mission, config }: Beginning): Promise<void> {
  const { id, claude_pid: pid } = mission
  if (pid === null) return
  if (await endLeftoverClaude(context, probe, mission, 'SIGHUP', config.stop.grace_ms))
    return updateMission(db, id, { claude_pid: null, claude_start: null })
  throw new AgencError(
    `the Claude of an earlier run still lives (process ${pid}) and cannot be ended`,
    'Two of them would write into one conversation. End it, then try again.',
  )
}

/** The repo's own preparation, until it has succeeded once. */
export async function setUp(beginning: Beginning): Promise<void> {
  const { context, db, mission, config, signals } = beginning
  const { repo, setup_pending } = mission
  const setup = repoConfig(repo, config)?.setup
  if (setup_pending === 0 || repo === null || setup === undefined || signals.received !== null) return
  if (!maySetUp(context, db, repo)) return
  signals.listen(() => {
    if (onEndingSignal('before') === 'give-up') endSetup(beginning)
  })
  try {
    await runSetup(context, context.paths.mission(mission.id), setup)
    updateMission(db, mission.id, { setup_pending: 0 })
  } catch (error) {
    if (signals.received === null) throw error
  }
}

/** Everything that this process has started, but for its guard. */
function endSetup({ context: { exec }, probe, config, guardPid }: Beginning): void {
  const own = [process.pid, guardPid]
  for (const child of listTree(exec, probe, process.pid).filter(({ pid }) => !own.includes(pid)))
    void endTree(exec, probe, child, 'SIGTERM', config.stop.grace_ms)
}
