import { type HookEvent, isObject } from '../claude/hook-event.ts'
import { cleanText } from '../io/text.ts'

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
