import type { MissionRecord } from '../db/mission-record.ts'

type Conversation = Pick<MissionRecord, 'session_id' | 'session_begun' | 'forked_session_id'>

/** How Claude is told which conversation this is. Nothing was said yet: the id is free to begin under. */
export function sessionArguments(mission: Conversation, hasTranscript: boolean): string[] {
  if (mission.session_begun === 1 || hasTranscript) return ['--resume', mission.session_id]
  if (mission.forked_session_id !== null) {
    return ['--resume', mission.forked_session_id, '--fork-session', '--session-id', mission.session_id]
  }
  return ['--session-id', mission.session_id]
}
