import { join } from 'node:path'
import { claudeEnvironment } from '../claude/claude-environment.ts'
import { findClaude } from '../claude/find-claude.ts'
import { listedModes } from '../claude/listed-modes.ts'
import { claudeMode } from '../claude/permission-mode.ts'
import { readConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { isAgencError, usageError } from '../errors.ts'
import { shortId } from '../mission-id.ts'

/** Warns if Claude does not list the mode. It is passed on anyway, because new versions bring new modes. */
export async function checkMode(context: Context, mode: string): Promise<void> {
  if (mode.trim() === '') throw usageError('the permission mode is empty', 'Name a mode, or omit the option.')
  const listed = await modesOfClaude(context)
  if (listed === null || listed.includes(claudeMode(mode))) return
  context.err.line(
    `agenc: Unknown mode ${JSON.stringify(mode)}; passed to Claude unchanged. Claude lists ${listed.join(', ')}.`,
  )
}

export function takesEffectLater({ id }: MissionRecord): string {
  return `${shortId(id)} is running. This takes effect at its next start; add --restart to apply it now.`
}

/** Resolves to null if Claude cannot be asked. */
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
