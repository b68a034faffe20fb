import type { Approve } from '../config/approve-modes.ts'
import type { MissionId } from '../mission-id.ts'

/** How a run of a mission ended. */
export type EndedBy = 'user' | 'lost'

export type State = 'starting' | 'idle' | 'busy' | 'waiting'
export type WaitingFor = 'permission' | 'question' | 'plan' | 'trust' | 'input'

/**
 * A mission as the store keeps it. The names are those of the columns and of the published JSON:
 * one word for one thing from end to end.
 */
export interface MissionRecord {
  id: MissionId
  name: string | null
  repo: string | null
  parent_id: MissionId | null
  created_at: string
  last_active_at: string
  archived_at: string | null
  /** The repo's setup has not yet succeeded in this working copy. */
  setup_pending: 0 | 1

  /** What the user chose for this mission; null follows the settings. */
  permission_mode: string | null
  approve: Approve | null
  model: string | null

  /** Claude's current conversation, and where it branched off when it is a fork. */
  session_id: string
  /** Something was said in it, so that it can be resumed. */
  session_begun: 0 | 1
  forked_session_id: string | null
  transcript_path: string | null
  reported_permission_mode: string | null

  /** The lease: set while a wrapper runs, or was killed before it could clear it. */
  wrapper_pid: number | null
  wrapper_start: string | null
  claude_pid: number | null
  claude_start: string | null
  heartbeat_at: string | null
  state: State | null
  waiting_for: WaitingFor | null
  waiting_since: string | null
  background: 0 | 1

  exit_code: number | null
  exit_signal: string | null
  exit_at: string | null
  ended_by: EndedBy | null
  /** Hook events that are stored but perhaps not yet deleted from the spool, as JSON. */
  spool_done: string | null
}
