import { requestSummary } from '../approvals/request-summary.ts'
import type { Dialog } from '../claude/agent-report.ts'
import { dialogTools } from '../claude/hook-report.ts'
import { questionsIn } from '../claude/question-answers.ts'
import type { PendingRequest } from '../db/approvals.ts'
import { shellWord } from '../io/shell-quote.ts'
import { cleanText } from '../io/text.ts'
import type { MissionJson } from './mission-json.ts'

export function dialogOf(tool: string): Dialog {
  return Object.hasOwn(dialogTools, tool) ? dialogTools[tool]! : 'permission'
}

/** The request on one line: `Bash make`, `question Which colour?`. */
export function requestWords({ tool, input }: PendingRequest, { dir }: MissionJson): string {
  const dialog = dialogOf(tool)
  const kind = dialog === 'permission' ? tool : dialog
  return cleanText(`${kind} ${requestSummary(tool, input, dir)}`)
}

/** The commands that answer a request. */
export function answerCommands(request: PendingRequest, mission: MissionJson): string[] {
  const isOldest = mission.pending[0]?.id === request.id
  const words = ['agenc mission answer', mission.short_id, ...(isOldest ? [] : ['--request', request.id])]
  const command = words.join(' ')
  switch (dialogOf(request.tool)) {
    case 'question':
      return [`${command} ${exampleChoices(request.input)}`, `${command} --text '…'`]
    case 'plan':
      return [`${command} allow`, `${command} allow --mode acceptEdits`, `${command} deny --message '…'`]
    case 'permission':
      return [`${command} allow`, `${command} deny --message '…'`]
  }
}

/** One choice for each question. */
function exampleChoices(input: unknown): string {
  const choices = questionsIn(input).map(({ options }) => cleanText(options[0]?.label ?? '…'))
  const isShared = new Set(choices).size < choices.length
  return choices
    .map((label, at) => `--choice ${shellWord(isShared ? `${at + 1}=${label}` : label)}`)
    .join(' ')
}
