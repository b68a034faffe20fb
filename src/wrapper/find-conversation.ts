import { existsSync, readFileSync, statSync } from 'node:fs'
import { claudeLocations } from '../claude/claude-locations.ts'
import type { Conversation } from '../claude/command-line.ts'
import { findClaude } from '../claude/find-claude.ts'
import { findTranscript, holdsConversation, holdsPrompt } from '../claude/transcript.ts'
import { readConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { AgencError } from '../errors.ts'
import { canBeRebuilt } from '../git-work/rebuild-directory.ts'
import { randomUuid } from '../io/random.ts'
import { missionDirectory } from '../mission/mission-directory.ts'
import type { MissionService } from '../mission/service.ts'
import { shortId } from '../mission-id.ts'

/** Throws if the transcript of a conversation is missing. Starting a blank one instead would lose it for good. */
export function conversationOf(mission: MissionRecord, env: NodeJS.ProcessEnv): Conversation {
  const { session_id: sessionId, session_begun, forked_session_id: forkedFrom } = mission
  const { directory } = claudeLocations(env)
  const transcript = transcriptOf(mission, env)
  const hasBegun = transcript !== null && holdsConversation(transcript)
  if (!hasBegun && session_begun === 1) throw conversationGone(mission, sessionId, directory)
  if (!hasBegun && forkedFrom !== null && findTranscript(directory, forkedFrom, null) === null)
    throw conversationGone(mission, forkedFrom, directory)
  return { sessionId, hasBegun, forkedFrom }
}

/**
 * Gives the mission a new session id if the old one has a transcript without messages. Claude can neither resume such a
 * conversation nor start one under the same id.
 */
export function withUsableSession(
  missions: MissionService,
  mission: MissionRecord,
  env: NodeJS.ProcessEnv,
): MissionRecord {
  const transcript = transcriptOf(mission, env)
  if (mission.session_begun === 1 || transcript === null || holdsConversation(transcript)) return mission
  const session_id = randomUuid()
  missions.change(mission.id, { session_id, transcript_path: null }, ['session', { session_id }])
  return missions.get(mission.id)!
}

/** Resolves to the reason why this mission cannot be resumed, or to null if it can. */
export async function whyNotResumable(context: Context, mission: MissionRecord): Promise<string | null> {
  const directory = missionDirectory(context.paths, mission)
  if (!existsSync(directory) && !canBeRebuilt(context, mission)) return `its directory is gone (${directory})`
  try {
    findClaude((await readConfig(context.paths)).claude.command, context.env)
    conversationOf(mission, context.env)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/**
 * Whether the mission's first prompt is already in its conversation. A wrapper that was killed may have had no time to note
 * that Claude took it, and giving it again would make Claude do everything twice. A /command leaves no trace in the
 * conversation, so it counts as taken once a Claude was started with it.
 */
export function wasPromptTaken(mission: MissionRecord, { env, paths }: Context): boolean {
  const { prompt, commandGiven } = paths.mission(mission.id)
  if (!existsSync(prompt)) return false
  if (existsSync(commandGiven)) return true
  const transcript = transcriptOf(mission, env)
  return (
    transcript !== null && holdsPrompt(transcript, readFileSync(prompt, 'utf8'), statSync(prompt).mtimeMs)
  )
}

/** Whether a prompt waits for the next start: Claude could not take it in an earlier one. */
export function hasWaitingPrompt(mission: MissionRecord, context: Context): boolean {
  return existsSync(context.paths.mission(mission.id).prompt) && !wasPromptTaken(mission, context)
}

/** Throws if another prompt would take the place of one that Claude has not got yet. */
export function refuseSecondPrompt(mission: MissionRecord, context: Context): void {
  if (!hasWaitingPrompt(mission, context)) return
  const short = shortId(mission.id)
  throw new AgencError(
    `Claude has not got the prompt that ${short} was started with`,
    `Resume it without --prompt, and Claude gets that one. Then send this one with: agenc mission send ${short}`,
  )
}

function transcriptOf(mission: MissionRecord, env: NodeJS.ProcessEnv): string | null {
  return findTranscript(claudeLocations(env).directory, mission.session_id, mission.transcript_path)
}

function conversationGone({ id }: MissionRecord, sessionId: string, directory: string): AgencError {
  return new AgencError(
    `the conversation of mission ${shortId(id)} is gone: no ${sessionId}.jsonl below ${directory}`,
    'Nothing was started. Restore the file, or set CLAUDE_CONFIG_DIR to the directory that was used then.',
  )
}
