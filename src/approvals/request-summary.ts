import { cleanText } from '../io/text.ts'
import { maskInput, maskSecrets } from './mask-secrets.ts'
import { inputText, pathField, textField } from './tool-input.ts'

/** The command, path or URL of a request, in one line and with secrets masked. */
export function requestSummary(tool: string, input: unknown): string {
  const field = pathField(tool) ?? textField(tool) ?? 'command'
  const text = inputText(input, field) ?? inputText(input, 'url')
  if (text !== undefined) return cleanText(maskSecrets(text))
  const isEmpty = typeof input !== 'object' || input === null || Object.keys(input).length === 0
  return isEmpty ? '' : cleanText(JSON.stringify(maskInput(input)))
}
