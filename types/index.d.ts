/**
 * What agenc prints with `--json`. Keys are never missing; what is absent is null; times are ISO 8601.
 *
 *     import type { Mission } from 'agenc'
 *     const missions: Mission[] = JSON.parse(execFileSync('agenc', ['mission', 'ls', '--json'], { encoding: 'utf8' }))
 */

/** `mission ls` prints an array of these, `mission show` and `mission new` one. */
export interface Mission {
  id: string
  short_id: string
  name: string | null
  /** `github.com/owner/name`, `local/<parent>/<name>`, or null for a blank mission. */
  repo: string | null
  /** What people call it: its name, else its repo. */
  display: string
  status: 'running' | 'stopped' | 'crashed' | 'archived'
  /** null unless running. */
  state: 'starting' | 'idle' | 'busy' | 'waiting' | null
  waiting_for: 'permission' | 'question' | 'plan' | 'trust' | 'input' | null
  waiting_since: string | null
  /** Work goes on in the background while Claude is idle. */
  background: boolean
  permission_mode: string | null
  permission_mode_source: 'mission' | 'repo' | 'config' | 'claude'
  approve: 'ask' | 'rules' | 'all'
  model: string | null
  session_id: string
  parent_id: string | null
  /** `@N`; null without a window, and where tmux could not be asked. */
  tmux_window: string | null
  wrapper_pid: number | null
  claude_pid: number | null
  /** Claude's working directory. */
  dir: string
  created_at: string
  last_active_at: string
  last_exit: { code: number | null; signal: string | null; at: string } | null
  pending: PendingRequest[]
  /** Paths of its plans, oldest first. */
  plans: string[]
}

/** A permission request that waits for an answer. */
export interface PendingRequest {
  id: string
  tool: string
  input: unknown
  since: string
}

/** `status` prints one of these. */
export interface Status {
  missions: SeenMission[]
  summary: {
    running: number
    idle: number
    busy: number
    waiting: number
    stopped: number
    crashed: number
  }
}

export interface SeenMission extends Mission {
  editor_open: boolean
  window_id: string | null
  editor_type: string | null
  presence: 'windowed' | 'detached' | 'remote' | 'terminal' | 'orphan' | 'none'
}

/** `repo ls` prints an array of these. */
export interface Repo {
  id: string
  url: string
  path: string
  /** null: never asked. */
  trusted: boolean | null
  missions: number
  added_at: string
  updated_at: string
}

export interface Rule {
  tool: string
  match?: string
  decision: 'allow' | 'deny' | 'ask'
  message?: string
}

/** `approvals ls` prints an array of these. */
export interface Approval {
  at: string
  mission_id: string
  tool: string
  /** Without what looks like a secret. */
  input: unknown
  /** `ask`: nobody has answered. */
  decision: 'allow' | 'deny' | 'ask'
  /** The rule that decided, as it stood then. */
  rule: Rule | null
  /** null while it waits. Becomes `user` when it turns out that the dialog was quicker than a rule or an answer. */
  by: 'rule' | 'user' | 'answer' | 'timeout' | null
  latency_ms: number | null
}

/** `approvals test` prints one of these. */
export interface Verdict {
  decision: 'allow' | 'deny' | 'ask'
  reason: string
  parts: { text: string; decision: 'allow' | 'deny' | 'ask'; rule: Rule | null }[]
}
