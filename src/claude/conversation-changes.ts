import type { Live } from './claude-state.ts'
import type { HookEvent } from './hook-event.ts'

type Conversation = Pick<Live, 'sessionId' | 'sessionBegun' | 'forkedFrom' | 'transcriptPath' | 'hasOpened'>

/** `/clear`, `/branch`, `/resume` and forks change the conversation; a subagent's events do not. */
export function afterEvent(live: Conversation, event: HookEvent): Partial<Conversation> {
  if (event.agentId !== null || event.sessionId === null || isFarewell(event)) return {}
  const hasOpened = live.hasOpened || event.name === 'SessionStart'
  const isResumed = event.source === 'resume'
  if (event.sessionId === live.sessionId) {
    return {
      hasOpened,
      sessionBegun: live.sessionBegun || isResumed,
      transcriptPath: event.transcriptPath ?? live.transcriptPath,
    }
  }
  return {
    hasOpened,
    sessionId: event.sessionId,
    sessionBegun: isResumed,
    forkedFrom: event.source === 'fork' ? branchingPoint(live) : null,
    transcriptPath: event.transcriptPath,
  }
}

/** The old conversation's last event; any other SessionEnd names the one that is open to the end. */
function isFarewell({ name, reason }: HookEvent): boolean {
  return name === 'SessionEnd' && (reason === 'clear' || reason === 'resume')
}

/** Nothing was said yet in a fresh branch: it can only be branched again where it began. */
function branchingPoint({ sessionId, sessionBegun, forkedFrom }: Conversation): string | null {
  return sessionBegun ? sessionId : forkedFrom
}
