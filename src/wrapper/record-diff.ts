import { maskSecrets } from '../approvals/mask-secrets.ts'
import type { MissionChange, MissionRecord } from '../db/missions.ts'
import { bounded } from '../io/text.ts'
import { missionName } from '../mission/naming.ts'
import type { HistoryEntry } from '../mission/service.ts'
import type { ClaudeState } from './claude-state.ts'

/** The columns that change from `before` to `next`. `atStart` is the mission at the start of this Claude. */
export function recordDiff(
  before: ClaudeState,
  next: ClaudeState,
  atStart: MissionRecord,
  at: string,
): MissionChange {
  return {
    ...activityDiff(before, next, at),
    ...(next.sessionId !== before.sessionId ? { session_id: next.sessionId } : {}),
    ...(next.sessionBegun !== before.sessionBegun ? { session_begun: next.sessionBegun ? 1 : 0 } : {}),
    ...(next.forkedFrom !== before.forkedFrom ? { forked_session_id: next.forkedFrom } : {}),
    ...(next.transcriptPath !== before.transcriptPath ? { transcript_path: next.transcriptPath } : {}),
    ...modeDiff(before, next),
    ...nameDiff(before, next, atStart),
  }
}

const longestMessage = 1_000

/** Lists show only the beginning. */
export function messageColumn(message: string): MissionChange {
  return { last_message: bounded(maskSecrets(message), longestMessage) }
}

function activityDiff(before: ClaudeState, next: ClaudeState, at: string): MissionChange {
  const isSame =
    next.state === before.state &&
    next.waitingFor === before.waitingFor &&
    next.background === before.background
  if (isSame) return {}
  return {
    state: next.state,
    waiting_for: next.waitingFor,
    waiting_since: next.state === 'waiting' ? at : null,
    background: next.background ? 1 : 0,
  }
}

/** The first mode is the one that Claude was started with, so it is not stored as the mission's own. */
function modeDiff(before: ClaudeState, next: ClaudeState): MissionChange {
  if (next.mode === before.mode || next.mode === null) return {}
  const own = before.mode === null ? {} : { permission_mode: next.storedMode }
  return { reported_permission_mode: next.mode, ...own }
}

/** The name that Claude was started with is not a change. */
function nameDiff(before: ClaudeState, next: ClaudeState, atStart: MissionRecord): MissionChange {
  if (next.claudeName === before.claudeName || next.claudeName === null) return {}
  const name = missionName(next.claudeName)
  return before.claudeName === null && name === atStart.name ? {} : { name }
}

/** The parts of a change that belong in the mission's history. */
export function historyOf(change: MissionChange): HistoryEntry[] {
  const { state, waiting_for, background, session_id, permission_mode, name } = change
  return [
    ...(state === undefined
      ? []
      : [['state', { state, waiting_for, background: background === 1 }] as const]),
    ...(session_id === undefined ? [] : [['session', { session_id }] as const]),
    ...(permission_mode === undefined ? [] : [['permission_mode', { mode: permission_mode }] as const]),
    ...(name === undefined ? [] : [['renamed', { name }] as const]),
  ]
}
