import type { MissionRecord } from '../db/mission-record.ts'
import { type Doing, doingAfterAnswer, doingAfterHook, doingAfterStatus, doingAtStart } from './activity.ts'
import { afterEvent } from './conversation-changes.ts'
import type { HookEvent } from './hook-event.ts'
import type { ClaudeStatus } from './status-file.ts'

/** The permission mode that the next start is to have. */
export interface Wish {
  mode: string | null
  /** What Claude reported when it was wished for; null: the first of this run. */
  saidAt: string | null
}

/** What is known of a running Claude, and follows what it reports. */
export interface Live extends Doing {
  sessionId: string
  /** Something was said in it: it can be resumed. */
  sessionBegun: boolean
  /** Where the conversation branched off, for as long as nothing was said in the branch. */
  forkedFrom: string | null
  transcriptPath: string | null
  /** The conversation is open: from here on Claude submits the prompt it was started with. */
  hasOpened: boolean
  /** Claude has taken the prompt it was started with. */
  promptTaken: boolean
  /** The first mode reported in this run, and the latest: a difference is the user's doing. */
  firstMode: string | null
  mode: string | null
  wish: Wish
  /** The mission's own mode, as the store has it. */
  storedMode: string | null
  /** The name Claude shows, where the user gave one. */
  claudeName: string | null
}

/** What is known of a mission's Claude before it says anything. */
export function liveAtStart(mission: MissionRecord, asksForTrust: boolean): Live {
  return {
    ...doingAtStart(asksForTrust),
    sessionId: mission.session_id,
    sessionBegun: mission.session_begun === 1,
    forkedFrom: mission.forked_session_id,
    transcriptPath: mission.transcript_path,
    hasOpened: false,
    promptTaken: false,
    firstMode: null,
    mode: null,
    wish: { mode: mission.permission_mode, saidAt: null },
    storedMode: mission.permission_mode,
    claudeName: null,
  }
}

/** For reports that a killed wrapper did not come to read: what it had stored is what they are compared with. */
export function liveAtCrash(mission: MissionRecord): Live {
  const mode = mission.reported_permission_mode
  return { ...liveAtStart(mission, false), firstMode: mode, mode }
}

/** `isAnswered`: it asks, but was answered at once, so that nobody is waited for. */
export function afterHook(live: Live, event: HookEvent, isAnswered = false): Live {
  const doing = isAnswered ? {} : doingAfterHook(live, event)
  const next = { ...live, ...doing, ...afterEvent(live, event) }
  return withMode({ ...next, promptTaken: next.promptTaken || event.name === 'UserPromptSubmit' }, event)
}

/** The file is written more often than it changes. */
export function isNews(live: Live, { updatedAtMs, userName }: ClaudeStatus): boolean {
  return updatedAtMs > live.fileStatusAtMs || (userName !== null && userName !== live.claudeName)
}

/** Right where hooks are silent: after an interrupt, and when a dialog was answered. */
export function afterStatus(live: Live, status: ClaudeStatus): Live {
  const doing = doingAfterStatus(live, status)
  const isAtWork = doing.state === 'busy' || (doing.state === 'waiting' && doing.waitingFor !== 'trust')
  return {
    ...live,
    ...doing,
    promptTaken: live.promptTaken || isAtWork,
    claudeName: status.userName ?? live.claudeName,
  }
}

export function afterAnswer(live: Live): Live {
  return { ...live, ...doingAfterAnswer(live) }
}

/**
 * `stored`: the mission's own mode as the store has it now; where that is news, somebody has set it meanwhile.
 * A wish holds until the mode differs from what it was then, and again when the user has gone all the way round.
 */
export function withStoredMode(before: Live, next: Live, stored: string | null): Live {
  const wish = stored === before.storedMode ? before.wish : { mode: stored, saidAt: before.mode }
  const isAsThen = next.mode === (wish.saidAt ?? next.firstMode)
  return { ...next, wish, storedMode: isAsThen ? wish.mode : next.mode }
}

/** Shift+Tab is silent: the new mode comes with the next event. A subagent may have a mode of its own. */
function withMode(live: Live, { permissionMode, agentId }: HookEvent): Live {
  if (permissionMode === null || agentId !== null) return live
  return { ...live, firstMode: live.firstMode ?? permissionMode, mode: permissionMode }
}
