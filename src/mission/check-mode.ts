import { join } from 'node:path'
import { claudeEnvironment } from '../claude/claude-environment.ts'
import { findClaude } from '../claude/find-claude.ts'
import { listedModes } from '../claude/listed-modes.ts'
import { claudeMode } from '../claude/permission-mode.ts'
import { readConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { isAgencError, usageError } from '../errors.ts'
import { nearest } from '../io/nearest.ts'
import { quoteForShell } from '../io/shell-quote.ts'
import { cleanText } from '../io/text.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { modeAliases, permissionModes } from './mode-meanings.ts'
import { missionService } from './open-service.ts'

/** Warns if the mode is unknown. It is passed on anyway, because new versions bring new modes. */
export async function checkMode(context: Context, mode: string): Promise<void> {
  if (mode.trim() === '') throw usageError('the permission mode is empty', 'Name a mode, or omit the option.')
  const known = await knownModes(context)
  if (known.includes(claudeMode(mode))) return
  context.err.line(
    `agenc: Unknown mode ${JSON.stringify(mode)}; passed to Claude unchanged. ${adviceFor(mode, known)}`,
  )
}

/** For a setting, which every mission would follow: an unknown mode would keep them all from starting. */
export async function checkModeSetting(context: Context, key: string, mode: string): Promise<void> {
  const known = await knownModes(context)
  if (known.includes(claudeMode(mode))) return
  const word = /^[\w-]+$/.test(mode) ? mode : quoteForShell(mode)
  throw usageError(
    `unknown permission mode ${JSON.stringify(cleanText(mode))}`,
    `${adviceFor(mode, known)}\nIf your Claude knows it, use: agenc config set ${key} ${word} --force`,
  )
}

/** The modes that Claude lists or, if it cannot be asked, those that it had when agenc was written. */
async function knownModes(context: Context): Promise<string[]> {
  return (await modesOfClaude(context)) ?? permissionModes.map(({ name }) => name)
}

/** Never suggests a mode in which Claude acts without asking. */
function adviceFor(mode: string, known: readonly string[]): string {
  const guess = nearest(mode, [...known, ...modeAliases.map(({ name }) => name)])
  const isSafe = ![...permissionModes, ...modeAliases].some(
    ({ name, isDangerous }) => name === guess && isDangerous,
  )
  return guess !== undefined && isSafe ? `Did you mean ${guess}?` : `Known modes: ${known.join(', ')}.`
}

export function storeMode(context: Context, db: Database, id: MissionId, mode: string): void {
  missionService(context, db).change(id, { permission_mode: mode }, ['permission_mode', { mode }])
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
