/**
 * The output of agenc with `--json`. Keys are never missing, absent values are null, and times are ISO 8601.
 *
 *     import type { Mission } from 'agenc'
 *     const missions: Mission[] = JSON.parse(execFileSync('agenc', ['mission', 'ls', '--json'], { encoding: 'utf8' }))
 */

/** `mission ls` prints an array of these; `mission show` and `mission new` print one. */
export interface Mission {
  id: string
  short_id: string
  name: string | null
  /** The first line of its first prompt. */
  about: string | null
  /** `github.com/owner/name`, `local/<parent>/<name>`, or null for a blank mission. */
  repo: string | null
  /** The mission's name or, if it has none, its repo. */
  display: string
  status: 'running' | 'stopped' | 'crashed' | 'archived'
  /** Null if the mission is not running. */
  state: 'starting' | 'idle' | 'busy' | 'waiting' | null
  waiting_for: 'permission' | 'question' | 'plan' | 'trust' | 'input' | null
  waiting_since: string | null
  /** True if work continues in the background while Claude is idle. */
  background: boolean
  /** True if Claude has finished something in a window that you have not looked at since. Null if tmux did not answer. */
  done_unseen: boolean | null
  permission_mode: string | null
  permission_mode_source: 'mission' | 'repo' | 'config' | 'claude'
  approve: 'ask' | 'rules' | 'all'
  model: string | null
  session_id: string
  parent_id: string | null
  /** `@N`. Null if the mission has no window, or if tmux did not answer. */
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
  /** Null if it has no repo, or its HEAD is detached. */
  branch: string | null
  /** The ref that it started from, with the commit and the time at which the library fetched it. */
  base: { ref: string; commit: string; at: string } | null
  /** What it had changed since its base when its last turn ended. */
  changes: {
    files: number
    insertions: number
    deletions: number
    /** Commits that the base does not have. */
    ahead: number
    /** Commits that no branch of the remote has, as far as the library knows. */
    unpushed: number
    dirty: boolean
    at: string
  } | null
  /** What its work would conflict with: a mission's id, or `base`. */
  conflicts: { with: string; files: string[] }[]
  pr: { number: number | null; url: string | null } | null
  /** The ports that it has for itself. */
  ports: number[]
  /** True if its Claude runs without a terminal. */
  headless: boolean
  /** How the last turn of a run without a terminal ended. */
  result: {
    text: string | null
    is_error: boolean
    /** The run was cut because of `--timeout`. */
    time_ran_out: boolean
    turns: number
    duration_ms: number
    cost_usd: number | null
    tokens: { input: number; output: number; cache_read: number; cache_write: number } | null
    at: string
  } | null
  /** When Claude's usage limit ends, if it has stopped the mission. */
  resets_at: string | null
  /** Messages that Claude has not taken yet, oldest first. */
  queued: QueuedMessage[]
  /** The beginning of what Claude said last. */
  last_message: string | null
}

/** A message from `mission send` that Claude has not taken yet. */
export interface QueuedMessage {
  id: string
  text: string
  as: 'user' | 'agent'
  since: string
}

/** `mission print` prints one of these per line: one thing that was said or done in a conversation. */
export interface ConversationEntry {
  /** The id of its line in Claude's transcript. A line may hold several entries. */
  uuid: string | null
  at: string | null
  /** `agent`: another Claude, through a message. `system`: Claude Code itself. */
  by: 'user' | 'claude' | 'agent' | 'system'
  /** `rewind` and `conversation` only with `--follow`. */
  kind:
    | 'message'
    | 'command'
    | 'tool'
    | 'tool_error'
    | 'error'
    | 'interruption'
    | 'compaction'
    | 'notification'
    | 'rewind'
    | 'conversation'
  /** Of a compaction, the summary. Empty for `tool`. */
  text: string
  /** The tool that was used or has failed. */
  tool: string | null
  input: Record<string, unknown> | null
}

/** A permission request that waits for an answer. */
export interface PendingRequest {
  id: string
  tool: string
  input: unknown
  since: string
}

/** `mission wait` prints an array of these. */
export interface WaitedMission extends Mission {
  /** False if the mission ended otherwise, was deleted, or the time ran out. */
  reached: boolean
  /** The whole text of what Claude said last. */
  last_message: string | null
}

/** `events` prints one of these per line. */
export interface Event {
  /** Grows with every event. In a snapshot, the number of the newest event. */
  id: number
  at: string
  /** Null at the end of a snapshot. */
  mission_id: string | null
  /** `mission` and `snapshot` are the snapshot; docs/talk.md lists the others. More may be added. */
  kind: string
  data: Record<string, unknown>
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
  /** Null if the user was never asked. */
  trusted: boolean | null
  missions: number
  /** The disk space of its files in the library. */
  disk_bytes: number
  added_at: string
  updated_at: string
}

export interface Rule {
  tool: string
  match?: string
  decision: 'allow' | 'deny' | 'ask'
  message?: string
  /** Applies only to missions on this repo. */
  repo?: string
}

/** `approvals ls` prints an array of these. */
export interface Approval {
  at: string
  mission_id: string
  tool: string
  /** Anything that looks like a secret is masked. */
  input: unknown
  /** `ask` means that the request has no answer, or none yet. */
  decision: 'allow' | 'deny' | 'ask'
  /** The rule that decided, as it was at that time. */
  rule: Rule | null
  /** Null while the request is open. Changes to `user` if the user answered in the dialog before a rule or an answer. */
  by: 'rule' | 'user' | 'answer' | 'timeout' | null
  latency_ms: number | null
  /** What the answer says beyond its decision. Null if there is nothing. */
  answer: {
    /** The answers to Claude's questions. */
    answers?: { question: string; answer: string | null; notes: string | null }[]
    /** The permission mode that came with it. */
    mode?: string
    /** The message for Claude that came with it. */
    message?: string
  } | null
}

/** `approvals allow` and `approvals deny` print one of these. */
export interface WrittenRule {
  /** Counted from 1. */
  number: number
  rule: Rule
  /** False if there was such a rule already. */
  added: boolean
  /** The recorded requests that it matches, with the answer that all rules together would give. */
  matched: (Pick<Approval, 'at' | 'mission_id' | 'tool' | 'input'> & { decision: 'allow' | 'deny' | 'ask' })[]
}

/** `approvals test` prints one of these. */
export interface Verdict {
  decision: 'allow' | 'deny' | 'ask'
  reason: string
  parts: { text: string; decision: 'allow' | 'deny' | 'ask'; rule: Rule | null }[]
}

/** `loop show`, `start`, `stop` and `continue` print one of these, `loop ls` an array. */
export interface Loop {
  id: string
  short_id: string
  mission_id: string
  mission_name: string | null
  status:
    | 'running'
    | 'succeeded'
    | 'max_rounds'
    | 'timeout'
    | 'stalled'
    | 'limit'
    | 'stopped'
    | 'failed'
    | 'crashed'
  /** Why it ended. */
  reason: string | null
  /** The number of its latest round. 0 before the first one. */
  round: number
  rounds: LoopRound[]
  prompt: string
  until: string
  limits: { max: number; timeout_ms: number; check_timeout_ms: number }
  fresh: boolean
  window: boolean
  /** When Claude's usage limit ends, if that has ended the loop. */
  resets_at: string | null
  cost_usd: number | null
  runner_pid: number | null
  log: string
  created_at: string
  ended_at: string | null
}

export interface LoopRound {
  n: number
  started_at: string
  /** Null while it runs. */
  duration_ms: number | null
  /** How Claude's turn ended. Null until then. */
  ended_by: 'turn' | 'limit' | 'error' | 'interrupted' | 'ended' | 'cut' | null
  /** Claude's word for the error that ended the turn. */
  error: string | null
  /** The exit code of the check. Null until then, or if it was ended. */
  exit: number | null
  /** Whether the turn has changed any file. */
  changed: boolean | null
  changes: { files: number; insertions: number; deletions: number } | null
  cost_usd: number | null
}

/** `mission new --foreach` prints an array of these. */
export interface ForeachOutcome {
  line: number
  id: string | null
  short_id: string | null
  name: string | null
  repo: string | null
  prompt: string
  outcome: 'ok' | 'failed' | 'running' | 'not_started'
  reason: string | null
  result: Mission['result']
}
