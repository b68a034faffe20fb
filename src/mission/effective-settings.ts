import { type Approve, approveModes, approveModesInWords } from '../config/approve-modes.ts'
import type { Config, RepoConfig } from '../config/schema.ts'
import type { MissionRecord } from '../db/missions.ts'
import { usageError } from '../errors.ts'

export type ModeSource = 'mission' | 'repo' | 'config' | 'claude'

export interface EffectiveMode {
  /** With source `claude`, the mode that Claude reported last, or null if it has reported none. */
  mode: string | null
  source: ModeSource
}

/** The mission's own mode comes first, then its repo's, then the default. If none is set, Claude decides. */
export function effectiveMode(
  mission: Pick<MissionRecord, 'permission_mode' | 'repo' | 'reported_permission_mode'>,
  config: Config,
): EffectiveMode {
  if (mission.permission_mode) return { mode: mission.permission_mode, source: 'mission' }
  const repoMode = repoConfig(mission.repo, config)?.permission_mode
  if (repoMode) return { mode: repoMode, source: 'repo' }
  if (config.claude.permission_mode) return { mode: config.claude.permission_mode, source: 'config' }
  return { mode: mission.reported_permission_mode, source: 'claude' }
}

/** The mode of missions on this repo that have none of their own. Null if Claude decides. */
export function configuredMode(repo: string | null, config: Config): string | null {
  return repoConfig(repo, config)?.permission_mode ?? config.claude.permission_mode ?? null
}

export function effectiveApprove(mission: Pick<MissionRecord, 'approve' | 'repo'>, config: Config): Approve {
  return mission.approve ?? repoConfig(mission.repo, config)?.approve ?? config.approvals.mode
}

/** Reads the value of `--approve`. */
export function parseApprove(word: string): Approve {
  const mode = approveModes.find(name => name === word)
  if (mode === undefined)
    throw usageError(`unknown value for --approve: ${JSON.stringify(word)}`, `Use ${approveModesInWords}.`)
  return mode
}

export function effectiveModel(
  mission: Pick<MissionRecord, 'model' | 'repo'>,
  config: Config,
): string | null {
  return mission.model ?? repoConfig(mission.repo, config)?.model ?? config.claude.model ?? null
}

export function repoConfig(repo: string | null, { repos }: Config): RepoConfig | undefined {
  return repo !== null && Object.hasOwn(repos, repo)
    ? repos[repo as keyof typeof repos & `${string}/${string}`]
    : undefined
}
