import { existsSync } from 'node:fs'
import { findClaude } from '../claude/find-claude.ts'
import { readConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/mission-record.ts'
import { conversationExists } from './find-conversation.ts'

/** In words, why this mission could not be resumed; null when nothing stands in the way. */
export async function whyNotResumable(context: Context, mission: MissionRecord): Promise<string | null> {
  const { agent } = context.paths.mission(mission.id)
  if (!existsSync(agent)) return `its directory is gone (${agent})`
  try {
    findClaude((await readConfig(context.paths)).claude.command, context.env)
    conversationExists(mission, context.env)
    return null
  } catch (error) {
    return (error as Error).message
  }
}
