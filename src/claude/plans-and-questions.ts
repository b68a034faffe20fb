import { dirname } from 'node:path'
import { realPathOf } from '../io/files.ts'
import { cleanText } from '../io/text.ts'
import { type HookEvent, isObject } from './hook-event.ts'

/** What Claude asks the user, in one line; null where it asks nothing. */
export function questionOf(event: HookEvent): string | null {
  if (event.toolName !== 'AskUserQuestion') return null
  if (event.name !== 'PreToolUse' && event.name !== 'PermissionRequest') return null
  const questions = Array.isArray(event.toolInput.questions) ? event.toolInput.questions : []
  const texts = questions
    .filter(isObject)
    .map(({ question }) => (typeof question === 'string' ? question : ''))
  return cleanText(texts.filter(Boolean).join(' / ')) || null
}

const sameQuestionMs = 10_000

/** Two hooks tell of one question, and Claude may ask again what was just turned down. */
export class RecentQuestions {
  readonly #askedAtMs = new Map<string, number>()

  /** true when this is news. */
  note(text: string, nowMs: number): boolean {
    for (const [known, atMs] of this.#askedAtMs)
      if (nowMs - atMs >= sameQuestionMs) this.#askedAtMs.delete(known)
    if (this.#askedAtMs.has(text)) return false
    this.#askedAtMs.set(text, nowMs)
    return true
  }
}

/** The plan file an event tells of: the one presented, or a file written where plans are kept. */
export function planOf(event: HookEvent, planDirectories: readonly string[]): string | null {
  const { name, toolName, toolInput } = event
  const presented = toolName === 'ExitPlanMode' ? toolInput.planFilePath : undefined
  if (typeof presented === 'string' && presented.endsWith('.md')) return presented
  const written = name === 'PostToolUse' ? toolInput.file_path : undefined
  if (typeof written !== 'string' || !written.endsWith('.md')) return null
  return planDirectories.includes(realPathOf(dirname(written))) ? written : null
}
