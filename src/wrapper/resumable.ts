import { existsSync } from 'node:fs'
import { findClaude } from '../claude/find.ts'
import { loadConfig } from '../config/file.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../mission/record.ts'
import { conversationExists } from './session.ts'

/** In words, why this mission could not be resumed; null when nothing stands in the way. */
export function whyNotResumable(context: Context, mission: MissionRecord): string | null {
  const { agent } = context.paths.mission(mission.id)
  if (!existsSync(agent)) return `its directory is gone (${agent})`
  try {
    findClaude(loadConfig(context.paths.config).claude.command, context.env)
    conversationExists(mission, context.env)
    return null
  } catch (error) {
    return (error as Error).message
  }
}
