import { join } from 'node:path'
import { claudeEnvironment } from '../../claude/claude-environment.ts'
import { findClaude } from '../../claude/find-claude.ts'
import { listedModes } from '../../claude/listed-modes.ts'
import { claudeMode } from '../../claude/permission-mode.ts'
import { readConfig } from '../../config/read.ts'
import type { Context } from '../../context.ts'
import type { MissionRecord } from '../../db/mission-record.ts'
import { isAgencError, usageError } from '../../errors.ts'
import { shortId } from '../../mission-id.ts'

/** A permission mode as a user typed it goes to Claude as it is; a word that this Claude does not list is noted. */
export async function checkMode(context: Context, mode: string): Promise<void> {
  if (mode.trim() === '') throw usageError('the permission mode is empty', 'Name one, or leave it out.')
  const listed = await modesOfClaude(context)
  if (listed === null || listed.includes(claudeMode(mode))) return
  context.err.line(
    `agenc: this Claude does not list the permission mode ${JSON.stringify(mode)}; it gets it as it is. It lists ${listed.join(', ')}.`,
  )
}

export function takesEffectLater({ id }: MissionRecord): string {
  return `${shortId(id)} is running: this takes effect when it is started again, or now with --restart.`
}

/** null where Claude cannot be asked. */
export async function modesOfClaude({ exec, env, paths }: Context): Promise<string[] | null> {
  try {
    const claude = findClaude((await readConfig(paths)).claude.command, env)
    const caches = {
      version: join(paths.home, 'claude-version.json'),
      modes: join(paths.home, 'claude-modes.json'),
    }
    return listedModes(exec, claude, claudeEnvironment(env, ''), caches)
  } catch (error) {
    if (isAgencError(error)) return null
    throw error
  }
}
