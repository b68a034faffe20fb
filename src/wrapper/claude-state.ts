import type { AgentStatus, Report } from '../claude/agent-report.ts'
import type { MissionRecord } from '../db/missions.ts'
import {
  type Activity,
  activityAfterAnswer,
  activityAfterReport,
  activityAfterStatus,
  activityAtStart,
} from './activity.ts'

/** The permission mode for the next start of Claude. */
export interface WantedMode {
  mode: string | null
  /** The mode that Claude reported when this one was chosen. Null for the first mode of this run. */
  reportedThen: string | null
}

/** Everything that is known about a running Claude. Each report leads to a new state. */
export interface ClaudeState extends Activity {
  sessionId: string
  /** True once the conversation has a message. Claude cannot resume it before that. */
  sessionBegun: boolean
  /** The conversation that this one branched off from. Kept only until the branch has a message. */
  forkedFrom: string | null
  transcriptPath: string | null
  /** True once the conversation is open. Claude then submits the prompt that it was started with. */
  hasOpened: boolean
  /** True once Claude has taken the prompt that it was started with. */
  promptTaken: boolean
  /** The first mode reported in this run, and the latest. If they differ, the user has changed it. */
  firstMode: string | null
  mode: string | null
  wanted: WantedMode
  /** The mission's own mode in the store. */
  storedMode: string | null
  /** The conversation's name, if the user gave it one. */
  claudeName: string | null
  /** The message that ended the latest turn. Null while the next one runs, or if Claude did not report it. */
  lastMessage: string | null
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
    lastMessage: null,
  }
}

/** The state that a killed wrapper stored last. The reports that it did not read are applied to this state. */
export function stateAfterCrash(mission: MissionRecord): ClaudeState {
  const mode = mission.reported_permission_mode
  return { ...stateAtStart(mission, false), firstMode: mode, mode }
}

/** `isAnswered` is true for a request that was answered at once, so that no dialog waits for the user. */
export function afterReport(state: ClaudeState, report: Report, isAnswered = false): ClaudeState {
  const activity = isAnswered ? {} : activityAfterReport(state, report)
  const promptTaken = state.promptTaken || report.kind === 'prompt-taken'
  const lastMessage = messageAfter(state, report)
  return withMode(
    { ...state, ...activity, ...conversationAfter(state, report), promptTaken, lastMessage },
    report,
  )
}

function messageAfter({ lastMessage }: ClaudeState, report: Report): string | null {
  if (report.agentId !== null) return lastMessage
  if (report.kind === 'turn-ended') return report.lastMessage
  return report.kind === 'prompt-taken' || report.kind === 'opened' ? null : lastMessage
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

/** A branch without messages can only be branched again where it began. */
function branchingPoint({ sessionId, sessionBegun, forkedFrom }: Conversation): string | null {
  return sessionBegun ? sessionId : forkedFrom
}

/** Claude often rewrites its status without a change. */
export function isNews(state: ClaudeState, { updatedAtMs, userName }: AgentStatus): boolean {
  return updatedAtMs !== state.ownStatusAtMs || (userName !== null && userName !== state.claudeName)
}

/** After an interrupt or an answered dialog no report comes, but Claude's status changes. */
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

/** For a status that a later report has overtaken. */
export function withOldStatus(state: ClaudeState, { activity, updatedAtMs }: AgentStatus): ClaudeState {
  return { ...state, ownStatus: activity, ownStatusAtMs: updatedAtMs }
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
