import type { AgentStatus, Report } from '../claude/report.ts'
import type { MissionRecord } from '../db/missions.ts'
import {
  type Activity,
  activityAfterAnswer,
  activityAfterReport,
  activityAfterStatus,
  activityAtStart,
} from './activity.ts'

/** The permission mode that the next start is to have. */
export interface WantedMode {
  mode: string | null
  /** What Claude reported when the mode was chosen; null for the first mode of this run. */
  reportedThen: string | null
}

/** Everything that is known about a running Claude. It changes with each report. */
export interface ClaudeState extends Activity {
  sessionId: string
  /** Something was said in the conversation, so it can be resumed. */
  sessionBegun: boolean
  /** The conversation that this one branched off from, as long as nothing was said in the branch. */
  forkedFrom: string | null
  transcriptPath: string | null
  /** The conversation is open: from now on Claude submits the prompt that it was started with. */
  hasOpened: boolean
  /** Claude has taken the prompt that it was started with. */
  promptTaken: boolean
  /** The first mode reported in this run, and the latest. If they differ, the user has changed it. */
  firstMode: string | null
  mode: string | null
  wanted: WantedMode
  /** The mission's own mode in the store. */
  storedMode: string | null
  /** The conversation's name, if the user gave it one. */
  claudeName: string | null
}

export function stateAtStart(mission: MissionRecord, asksForTrust: boolean): ClaudeState {
  return {
    ...activityAtStart(asksForTrust),
    sessionId: mission.session_id,
    sessionBegun: mission.session_begun === 1,
    forkedFrom: mission.forked_session_id,
    transcriptPath: mission.transcript_path,
    hasOpened: false,
    promptTaken: false,
    firstMode: null,
    mode: null,
    wanted: { mode: mission.permission_mode, reportedThen: null },
    storedMode: mission.permission_mode,
    claudeName: null,
  }
}

/** The state that a killed wrapper had stored. Reports that it did not read are compared with this. */
export function stateAfterCrash(mission: MissionRecord): ClaudeState {
  const mode = mission.reported_permission_mode
  return { ...stateAtStart(mission, false), firstMode: mode, mode }
}

/** `isAnswered`: the report is a request that was answered at once, so no dialog waits for the user. */
export function afterReport(state: ClaudeState, report: Report, isAnswered = false): ClaudeState {
  const activity = isAnswered ? {} : activityAfterReport(state, report)
  const promptTaken = state.promptTaken || report.kind === 'prompt-taken'
  return withMode({ ...state, ...activity, ...conversationAfter(state, report), promptTaken }, report)
}

type Conversation = Pick<
  ClaudeState,
  'sessionId' | 'sessionBegun' | 'forkedFrom' | 'transcriptPath' | 'hasOpened'
>

/** `/clear`, `/branch`, `/resume` and forks change the conversation. Reports of subagents do not. */
function conversationAfter(state: Conversation, report: Report): Partial<Conversation> {
  const { agentId, sessionId, transcriptPath, kind } = report
  if (agentId !== null || sessionId === null || kind === 'replaced') return {}
  const hasOpened = state.hasOpened || kind === 'opened'
  const isResumed = kind === 'opened' && report.origin === 'resumed'
  if (sessionId === state.sessionId) {
    return {
      hasOpened,
      sessionBegun: state.sessionBegun || isResumed,
      transcriptPath: transcriptPath ?? state.transcriptPath,
    }
  }
  const isForked = kind === 'opened' && report.origin === 'forked'
  return {
    hasOpened,
    sessionId,
    sessionBegun: isResumed,
    forkedFrom: isForked ? branchingPoint(state) : null,
    transcriptPath,
  }
}

/** Nothing was said yet in a fresh branch, so it can only be branched again where it began. */
function branchingPoint({ sessionId, sessionBegun, forkedFrom }: Conversation): string | null {
  return sessionBegun ? sessionId : forkedFrom
}

/** Claude writes its status more often than it changes. */
export function isNews(state: ClaudeState, { updatedAtMs, userName }: AgentStatus): boolean {
  return updatedAtMs > state.ownStatusAtMs || (userName !== null && userName !== state.claudeName)
}

/** Claude's status is right when reports are silent: after an interrupt, and when a dialog was answered. */
export function afterStatus(state: ClaudeState, status: AgentStatus): ClaudeState {
  const activity = activityAfterStatus(state, status)
  const isAtWork =
    activity.state === 'busy' || (activity.state === 'waiting' && activity.waitingFor !== 'trust')
  return {
    ...state,
    ...activity,
    promptTaken: state.promptTaken || isAtWork,
    claudeName: status.userName ?? state.claudeName,
  }
}

export function afterAnswer(state: ClaudeState): ClaudeState {
  return { ...state, ...activityAfterAnswer(state) }
}

/**
 * `stored` is the mission's mode in the store now. If it differs from `before`, another command has set it. A wanted mode
 * holds until the reported mode differs from what it was then, and again when the user has cycled through all modes.
 */
export function withStoredMode(before: ClaudeState, next: ClaudeState, stored: string | null): ClaudeState {
  const wanted = stored === before.storedMode ? before.wanted : { mode: stored, reportedThen: before.mode }
  const isAsThen = next.mode === (wanted.reportedThen ?? next.firstMode)
  return { ...next, wanted, storedMode: isAsThen ? wanted.mode : next.mode }
}

/** Shift+Tab itself is not reported: the new mode comes with the next report. A subagent may have its own mode. */
function withMode(state: ClaudeState, { mode, agentId }: Report): ClaudeState {
  if (mode === null || agentId !== null) return state
  return { ...state, firstMode: state.firstMode ?? mode, mode }
}
