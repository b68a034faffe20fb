import type { AgentStatus, Report } from '../claude/agent-report.ts'
import type { State, WaitingFor } from '../db/missions.ts'

/** Claude's current activity, derived from its reports and its own status. */
export interface Activity {
  state: State
  waitingFor: WaitingFor | null
  /** True if tasks continue in the background while the conversation is idle. */
  background: boolean
  /** The dialog in the latest request. Claude's status names dialogs less exactly. */
  asked: WaitingFor | null
  /** Claude's latest own status and its time. Null and 0 before the first one. */
  ownStatus: AgentStatus['activity'] | null
  ownStatusAtMs: number
}

export function activityAtStart(asksForTrust: boolean): Activity {
  return {
    state: asksForTrust ? 'waiting' : 'starting',
    waitingFor: asksForTrust ? 'trust' : null,
    background: false,
    asked: null,
    ownStatus: null,
    ownStatusAtMs: 0,
  }
}

/** Claude's own status is reliable for dialogs, so reports do not change the state while it is `waiting`. */
export function activityAfterReport(activity: Activity, report: Report): Activity {
  const asked = { ...activity, asked: dialogIn(report) ?? activity.asked }
  if (activity.ownStatus === 'waiting') return asked
  return report.agentId === null ? afterMainReport(asked, report) : afterSubagentReport(asked, report)
}

function dialogIn(report: Report): WaitingFor | null {
  return report.kind === 'asks' || report.kind === 'about-to-use' ? report.dialog : null
}

function afterMainReport(activity: Activity, report: Report): Activity {
  switch (report.kind) {
    case 'opened':
      return report.origin === 'compacted' ? activity : resting(activity, false)
    case 'prompt-taken':
    case 'used':
      return busy(activity)
    case 'about-to-use':
    case 'asks':
      return afterRequest(activity, report.dialog)
    case 'turn-ended':
      return resting(activity, report.hasBackgroundTasks)
    // Reminders come seconds late, so they count only if Claude has no status of its own.
    case 'still-asks':
      return activity.ownStatus === null && activity.state !== 'waiting'
        ? waiting(activity, 'permission')
        : activity
    case 'still-idle':
      return activity.ownStatus === null ? resting(activity, activity.background) : activity
    default:
      return activity
  }
}

/** A tool without a dialog may start while another one waits for its answer. */
function afterRequest(activity: Activity, dialog: WaitingFor | null): Activity {
  if (dialog !== null) return waiting(activity, dialog)
  return activity.state === 'waiting' ? activity : busy(activity)
}

/** A subagent's dialog opens only after our hook has returned. Claude's status then shows it, if there is one. */
function afterSubagentReport(activity: Activity, { kind }: Report): Activity {
  if (activity.ownStatus !== null) return activity
  if (kind === 'asks') return waiting(activity, 'permission')
  return kind === 'used' && activity.state === 'waiting' ? busy(activity) : activity
}

/** For a request that was answered by a rule or a command. If a status showed the dialog, the next one shows its end. */
export function activityAfterAnswer(activity: Activity): Activity {
  return activity.state === 'waiting' && activity.ownStatus !== 'waiting' ? busy(activity) : activity
}

export function activityAfterStatus(activity: Activity, status: AgentStatus): Activity {
  // Not "older": the clock may have been set back.
  if (status.updatedAtMs === activity.ownStatusAtMs) return activity
  const seen = { ...activity, ownStatus: status.activity, ownStatusAtMs: status.updatedAtMs }
  switch (status.activity) {
    case 'idle':
      return resting(seen, false)
    case 'background':
      return resting(seen, true)
    case 'busy':
      // The status stays at busy while subagents work, even if the conversation itself is idle.
      return seen.background ? resting(seen, true) : busy(seen)
    case 'waiting':
      return waiting(seen, status.dialog === null ? 'input' : (seen.asked ?? status.dialog))
    case 'unknown':
      return seen
  }
}

function busy(activity: Activity): Activity {
  return { ...activity, state: 'busy', waitingFor: null, background: false, asked: null }
}

function resting(activity: Activity, background: boolean): Activity {
  return { ...activity, state: 'idle', waitingFor: null, background, asked: null }
}

function waiting(activity: Activity, waitingFor: WaitingFor): Activity {
  return { ...activity, state: 'waiting', waitingFor }
}
