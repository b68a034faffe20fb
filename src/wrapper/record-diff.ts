import type { Live } from '../claude/claude-state.ts'
import type { MissionRecord } from '../db/mission-record.ts'
import type { MissionChange } from '../db/missions.ts'
import { missionName } from '../mission/naming.ts'

/** What the store has to be told: the columns that differ. `atStart` is the mission as this Claude was started. */
export function changeOf(before: Live, next: Live, atStart: MissionRecord, at: string): MissionChange {
  return {
    ...doingChange(before, next, at),
    ...(next.sessionId !== before.sessionId ? { session_id: next.sessionId } : {}),
    ...(next.sessionBegun !== before.sessionBegun ? { session_begun: next.sessionBegun ? 1 : 0 } : {}),
    ...(next.forkedFrom !== before.forkedFrom ? { forked_session_id: next.forkedFrom } : {}),
    ...(next.transcriptPath !== before.transcriptPath ? { transcript_path: next.transcriptPath } : {}),
    ...modeChange(before, next),
    ...nameChange(before, next, atStart),
  }
}

function doingChange(before: Live, next: Live, at: string): MissionChange {
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

/** The first one is what it was started with. */
function modeChange(before: Live, next: Live): MissionChange {
  if (next.mode === before.mode || next.mode === null) return {}
  const own = before.mode === null ? {} : { permission_mode: next.storedMode }
  return { reported_permission_mode: next.mode, ...own }
}

/** The name it was started with is no news. */
function nameChange(before: Live, next: Live, atStart: MissionRecord): MissionChange {
  if (next.claudeName === before.claudeName || next.claudeName === null) return {}
  const name = missionName(next.claudeName)
  return before.claudeName === null && name === atStart.name ? {} : { name }
}

type History = [kind: string, data: Record<string, unknown>]

/** The parts of a change that a mission's history tells of. */
export function historyOf(change: MissionChange): History[] {
  const { state, waiting_for, background, session_id, permission_mode, name } = change
  const told: [boolean, ...History][] = [
    [state !== undefined, 'state', { state, waiting_for, background: background === 1 }],
    [session_id !== undefined, 'session', { session_id }],
    [permission_mode !== undefined, 'permission_mode', { mode: permission_mode }],
    [name !== undefined, 'renamed', { name }],
  ]
  return told.filter(([isTold]) => isTold).map(([, kind, data]) => [kind, data])
}
