import type { Approve } from '../config/approve-modes.ts'
import type { Config } from '../config/schema.ts'
import type { PendingRequest } from '../db/approvals.ts'
import type { QueuedMessage } from '../db/messages.ts'
import type { MissionRecord, State, WaitingFor } from '../db/missions.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { portsPerBlock } from '../system/port-block.ts'
import { effectiveApprove, effectiveMode, effectiveModel, type ModeSource } from './effective-settings.ts'
import type { Status } from './mission-status.ts'
import { displayName } from './naming.ts'

/** A mission in the published JSON. All keys are always present. A missing value is null. */
export interface MissionJson {
  id: MissionId
  short_id: string
  name: string | null
  /** The first line of its first prompt. */
  about: string | null
  repo: string | null
  display: string
  status: Status
  state: State | null
  waiting_for: WaitingFor | null
  waiting_since: string | null
  background: boolean
  /** Claude has finished a turn that the user has not looked at. Null if tmux did not answer. */
  done_unseen: boolean | null
  permission_mode: string | null
  permission_mode_source: ModeSource
  approve: Approve
  model: string | null
  session_id: string
  parent_id: MissionId | null
  tmux_window: string | null
  wrapper_pid: number | null
  claude_pid: number | null
  dir: string
  created_at: string
  last_active_at: string
  last_exit: { code: number | null; signal: string | null; at: string } | null
  pending: PendingRequest[]
  plans: string[]
  branch: string | null
  /** The ref that it started from, with the commit and the time at which the library fetched it. */
  base: { ref: string; commit: string; at: string } | null
  /** What it had changed since its base when its last turn ended. */
  changes: ChangesJson | null
  /** What its work would conflict with, as far as that is known. */
  conflicts: ConflictJson[]
  pr: { number: number | null; url: string | null } | null
  ports: number[]
  /** Its Claude runs without a terminal. */
  headless: boolean
  /** How the last turn of a run without a terminal ended. */
  result: ResultJson | null
  /** When Claude's usage limit ends, if it has stopped the mission. */
  resets_at: string | null
  /** Messages that Claude has not taken yet. */
  queued: QueuedMessage[]
  /** The beginning of what Claude said last. */
  last_message: string | null
}

export interface ResultJson {
  text: string | null
  is_error: boolean
  /** The run was cut because of `--timeout`. */
  time_ran_out: boolean
  turns: number
  duration_ms: number
  cost_usd: number | null
  tokens: { input: number; output: number; cache_read: number; cache_write: number } | null
  at: string
}

export interface ChangesJson {
  files: number
  insertions: number
  deletions: number
  /** Commits that the base does not have. */
  ahead: number
  /** Commits that no branch of the remote has, as far as the library knows. */
  unpushed: number
  dirty: boolean
  at: string
}

export interface ConflictJson {
  /** A mission's id, or `base`. */
  with: string
  files: string[]
}

export interface MissionFacts {
  status: Status
  dir: string
  tmuxWindow: string | null
  doneUnseen: boolean | null
  pending: PendingRequest[]
  plans: string[]
  queued: QueuedMessage[]
}

export function missionJson(mission: MissionRecord, config: Config, facts: MissionFacts): MissionJson {
  const { mode, source } = effectiveMode(mission, config)
  const isRunning = facts.status === 'running'
  const isWaiting = isRunning && mission.state === 'waiting'
  return {
    id: mission.id,
    short_id: shortId(mission.id),
    name: mission.name,
    about: mission.about,
    repo: mission.repo,
    display: displayName(mission),
    status: facts.status,
    state: isRunning ? (mission.state ?? 'starting') : null,
    waiting_for: isWaiting ? mission.waiting_for : null,
    waiting_since: isWaiting ? mission.waiting_since : null,
    background: isRunning && mission.background === 1,
    done_unseen: isRunning && mission.state === 'idle' ? facts.doneUnseen : false,
    permission_mode: mode,
    permission_mode_source: source,
    approve: effectiveApprove(mission, config),
    model: effectiveModel(mission, config),
    session_id: mission.session_id,
    parent_id: mission.parent_id,
    tmux_window: isRunning ? facts.tmuxWindow : null,
    wrapper_pid: isRunning ? mission.wrapper_pid : null,
    claude_pid: isRunning ? mission.claude_pid : null,
    dir: facts.dir,
    created_at: mission.created_at,
    last_active_at: mission.last_active_at,
    last_exit:
      mission.exit_at === null
        ? null
        : { code: mission.exit_code, signal: mission.exit_signal, at: mission.exit_at },
    pending: isRunning ? facts.pending : [],
    plans: facts.plans,
    branch: mission.branch,
    base: baseJson(mission),
    changes: mission.changes === null ? null : JSON.parse(mission.changes),
    conflicts: mission.conflicts === null ? [] : JSON.parse(mission.conflicts),
    pr: prJson(mission),
    ports: portsOf(mission),
    headless: mission.headless === 1,
    result: mission.result === null ? null : JSON.parse(mission.result),
    resets_at: mission.resets_at,
    queued: facts.queued,
    last_message: mission.last_message,
  }
}

function baseJson({ base_ref, base_commit, base_at }: MissionRecord): MissionJson['base'] {
  if (base_ref === null || base_commit === null || base_at === null) return null
  return { ref: base_ref, commit: base_commit, at: base_at }
}

function prJson({ pr_number: number, pr_url: url }: MissionRecord): MissionJson['pr'] {
  return number === null && url === null ? null : { number, url }
}

export function portsOf({ first_port }: Pick<MissionRecord, 'first_port'>): number[] {
  return first_port === null ? [] : Array.from({ length: portsPerBlock }, (_, index) => first_port + index)
}
