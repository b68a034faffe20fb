import { existsSync, readFileSync } from 'node:fs'
import type { Input } from './hook-decision.ts'
import type { Session } from './session.ts'
import type { ToolResult } from './tools.ts'

/** AskUserQuestion: the dialog has put the answers into the input. */
export function answeredQuestions(input: Input): ToolResult {
  const answers = Object.entries((input.answers ?? {}) as Record<string, string>)
  const pairs = answers.map(([question, answer]) => `"${question}"="${answer}"`).join(', ')
  const text = `Your questions have been answered: ${pairs}. You can now continue with these answers in mind.`
  return { kind: 'done', response: input, text }
}

/** ExitPlanMode, approved. */
export function leftPlanMode(session: Session): ToolResult {
  const filePath = session.planFile()
  const plan = existsSync(filePath) ? readFileSync(filePath, 'utf8') : null
  const text =
    plan === null
      ? 'User has approved exiting plan mode. You can now proceed.'
      : `User has approved your plan. You can now start coding.\n\n## Approved Plan:\n${plan}`
  return { kind: 'done', response: { plan, isAgent: false, filePath }, text }
}
