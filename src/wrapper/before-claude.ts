import type { Config } from '../config/schema.ts'
import type { MissionRecord } from '../db/missions.ts'
import { getRepo } from '../db/repos.ts'
import { AgencError } from '../errors.ts'
import { repoConfig } from '../mission/effective-settings.ts'
import { fetchMissionSubmodules, runSetup, setupSkipped, submodulesLeftOut } from '../mission/repo-setup.ts'
import { submodulePaths } from '../repo/submodules.ts'
import type { Guard } from '../system/guard.ts'
import { portVariables } from '../system/port-block.ts'
import { endTree, listTree } from '../system/process-tree.ts'
import { endOrphanedClaude } from './orphaned-claude.ts'
import type { Run } from './run-mission.ts'
import { onEndingSignal } from './signal-policy.ts'

/** Throws if the Claude of an earlier, killed wrapper cannot be ended: two must never share a conversation. */
export async function endClaudeOfEarlierRun(
  { context, missions, probe }: Run,
  mission: MissionRecord,
  config: Config,
): Promise<void> {
  const { id, claude_pid: pid } = mission
  if (pid === null) return
  if (await endOrphanedClaude(context, probe, mission, 'SIGHUP', config.stop.grace_ms))
    return missions.change(id, { claude_pid: null, claude_start: null })
  throw new AgencError(
    `the Claude of an earlier run is still alive (process ${pid}) and cannot be ended`,
    'Two Claudes must not write to one conversation. End that process, then try again.',
  )
}

/** Prepares a new working copy of a trusted repo: its submodules, then the repo's setup until that has succeeded once. */
export async function setUpRepo(
  run: Run,
  mission: MissionRecord,
  config: Config,
  guard: Guard,
): Promise<void> {
  const { context, db, missions, signals } = run
  const { id, repo, dir, setup_pending } = mission
  // A directory of the user is used as it is.
  if (repo === null || dir !== null || signals.received !== null) return
  const paths = context.paths.mission(id)
  const setup = repoConfig(repo, config)?.setup
  // A Claude that was here before could have changed git's settings, so nothing is fetched after it.
  const lacksSubmodules = mission.session_begun === 0 && submodulePaths(context, paths.agent).length > 0
  if (getRepo(db, repo)?.trusted !== 1) {
    if (lacksSubmodules) {
      context.err.line(submodulesLeftOut(repo))
      alertUser(run, mission, 'has no submodules, because its repo is not trusted')
    }
    if (setup_pending === 1 && setup !== undefined) context.err.line(setupSkipped(repo))
    return
  }
  if (setup_pending === 0) return
  const givenUp = new AbortController()
  signals.listen(() => {
    if (onEndingSignal('before') !== 'give-up') return
    givenUp.abort()
    endSetup(run, config, guard)
  })
  try {
    const missing = lacksSubmodules ? await fetchMissionSubmodules(context, paths, givenUp.signal) : []
    if (missing.length > 0) alertUser(run, mission, `starts without submodules: ${missing.join(', ')}`)
    if (setup !== undefined)
      await runSetup(context, paths, setup, portVariables(missions.get(id)!.first_port))
    missions.change(id, { setup_pending: 0 })
  } catch (error) {
    if (signals.received === null) throw error
  }
}

/** Lines in the window vanish when Claude takes the screen. */
export function alertUser({ surface }: Run, mission: MissionRecord, words: string): void {
  surface.show(mission, { state: 'starting', waitingFor: null, isDone: false })
  surface.alert(words)
}

/** Ends all processes that this one has started, except its guard. */
function endSetup({ context: { exec }, probe }: Run, config: Config, guard: Guard): void {
  const own = [process.pid, guard.pid]
  for (const child of listTree(exec, probe, process.pid).filter(({ pid }) => !own.includes(pid)))
    void endTree(exec, probe, child, 'SIGTERM', config.stop.grace_ms)
}
