import { isObject } from '../io/json.ts'
import { cleanLines } from '../io/text.ts'
import { maskInput, maskSecrets } from './mask-secrets.ts'
import { shortened } from './request-summary.ts'
import { pathField } from './tool-input.ts'

/**
 * Everything that a request asks for, in several lines and with secrets masked. Paths in `directory`, where the mission
 * works, are relative to it.
 */
export function requestInFull(tool: string, input: Record<string, unknown>, directory: string): string {
  return cleanLines(linesOf(tool, input, directory).join('\n').replaceAll('\t', '    '))
}

function linesOf(tool: string, input: Record<string, unknown>, directory: string): string[] {
  if (tool === 'AskUserQuestion' && Array.isArray(input.questions)) return questionsIn(input.questions)
  if (tool === 'ExitPlanMode' && typeof input.plan === 'string')
    return ['Asks you to approve its plan', '', maskSecrets(input.plan)]
  const { command, ...rest } = input
  const shown = tool === 'Bash' && typeof command === 'string' ? [commandIn(command, directory)] : []
  const fields = Object.entries(shown.length > 0 ? rest : input)
  const path = pathField(tool)
  return [
    `Asks: ${tool}`,
    ...shown,
    ...fields.map(([name, value]) =>
      name === path && typeof value === 'string'
        ? `${name}: ${maskSecrets(shortened(value, false, directory))}`
        : fieldIn(name, value),
    ),
  ]
}

function commandIn(command: string, directory: string): string {
  return indented(maskSecrets(shortened(command, true, directory)))
}

function fieldIn(name: string, value: unknown): string {
  // Masked together with its name, which may say that the value is a secret.
  const { [name]: masked } = maskInput({ [name]: value }) as Record<string, unknown>
  const text = typeof masked === 'string' ? masked : (JSON.stringify(masked) ?? '')
  return text.includes('\n') ? `${name}:\n${indented(text)}` : `${name}: ${text}`
}

function indented(text: string): string {
  return text
    .split('\n')
    .map(line => `  ${line}`)
    .join('\n')
}

function questionsIn(questions: readonly unknown[]): string[] {
  return questions
    .filter(isObject)
    .flatMap(({ question, options, multiSelect }, at, { length }) => [
      `Asks${length > 1 ? ` (${at + 1} of ${length})` : ''}: ${maskSecrets(String(question ?? ''))}`,
      ...(multiSelect === true ? ['  (several choices)'] : []),
      ...(Array.isArray(options) ? options.filter(isObject) : []).map(
        ({ label, description }) =>
          `  - ${maskSecrets([label, description].filter(text => typeof text === 'string' && text !== '').join(': '))}`,
      ),
    ])
}
