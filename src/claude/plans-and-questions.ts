import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { realPathOf } from '../io/files.ts'
import { isObject } from '../io/json.ts'
import { cleanText } from '../io/text.ts'
import type { ClaudeLocations } from './claude-locations.ts'

/** Returns the questions in a tool's input on one line, or null if there are none. */
export function questionOf(input: Record<string, unknown>): string | null {
  const questions = Array.isArray(input.questions) ? input.questions : []
  const texts = questions
    .filter(isObject)
    .map(({ question }) => (typeof question === 'string' ? question : ''))
  return cleanText(texts.filter(Boolean).join(' / ')) || null
}

/** The plan that a tool presents, or a Markdown file that it has written in one of the directories for plans. */
export function planPathOf(
  tool: string,
  input: Record<string, unknown>,
  planDirectories: readonly string[],
): string | null {
  const presented = tool === 'ExitPlanMode' ? input.planFilePath : undefined
  if (typeof presented === 'string' && presented.endsWith('.md')) return presented
  const written = planDirectories.length > 0 ? input.file_path : undefined
  if (typeof written !== 'string' || !written.endsWith('.md')) return null
  return planDirectories.includes(realPathOf(dirname(written))) ? written : null
}

/** Claude keeps plans in its own directory, or in a directory of the project that a settings file names. */
export function planDirectories({ directory, plans }: ClaudeLocations, project: string): string[] {
  const settings = [
    join(directory, 'settings.json'),
    join(project, '.claude', 'settings.json'),
    join(project, '.claude', 'settings.local.json'),
  ]
  const chosen = settings.map(plansDirectoryIn).filter(path => path !== null)
  return [plans, ...chosen.map(path => resolve(project, path))].map(realPathOf)
}

function plansDirectoryIn(settingsPath: string): string | null {
  try {
    const settings: unknown = JSON.parse(readFileSync(settingsPath, 'utf8'))
    return isObject(settings) && typeof settings.plansDirectory === 'string' ? settings.plansDirectory : null
  } catch {
    return null
  }
}
