import { claudeLocations } from '../claude/claude-locations.ts'
import { findTranscript, holdsConversation } from '../claude/transcript.ts'
import { recordEvent } from '../db/events.ts'
import type { MissionRecord } from '../db/mission-record.ts'
import { getMission, updateMission } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError } from '../errors.ts'
import { randomUuid } from '../io/random.ts'
import { shortId } from '../mission-id.ts'

/** A conversation that was begun must be found again: opening a blank one in its place would lose it. */
export function conversationExists(mission: MissionRecord, env: NodeJS.ProcessEnv): boolean {
  const { session_id: id, session_begun, forked_session_id: origin } = mission
  const { directory } = claudeLocations(env)
  const transcript = transcriptOf(mission, env)
  if (transcript !== null && holdsConversation(transcript)) return true
  if (session_begun === 1) throw gone(mission, id, directory)
  if (origin !== null && findTranscript(directory, origin, null) === null)
    throw gone(mission, origin, directory)
  return false
}

/**
 * A Claude that was left before anything was said leaves a transcript without a word in it. Its id can
 * neither be resumed nor begun with again, so the mission goes on under another one.
 */
export function withUsableSession(
  db: Database,
  mission: MissionRecord,
  env: NodeJS.ProcessEnv,
  now: Date,
): MissionRecord {
  const transcript = transcriptOf(mission, env)
  if (mission.session_begun === 1 || transcript === null || holdsConversation(transcript)) return mission
  const session_id = randomUuid()
  db.transaction(() => {
    updateMission(db, mission.id, { session_id, transcript_path: null })
    recordEvent(db, mission.id, now.toISOString(), 'session', { session_id })
  }).immediate()
  return getMission(db, mission.id)!
}

function transcriptOf(mission: MissionRecord, env: NodeJS.ProcessEnv): string | null {
  return findTranscript(claudeLocations(env).directory, mission.session_id, mission.transcript_path)
}

function gone({ id }: MissionRecord, sessionId: string, directory: string): AgencError {
  return new AgencError(
    `the conversation of mission ${shortId(id)} is gone: no ${sessionId}.jsonl below ${directory}`,
    'Was CLAUDE_CONFIG_DIR another one then? Set it as it was, or bring the file back; nothing was started.',
  )
}
