import { cleanText } from '../io/text.ts'
import { maskInput, maskSecrets } from './mask.ts'
import { inputText, pathField, textField } from './tool.ts'

/** In one line, without secrets, what a request is about: the command, the path, the address. */
export function subjectOf(tool: string, input: unknown): string {
  const field = tool === 'Bash' ? 'command' : (pathField(tool) ?? textField(tool) ?? 'url')
  const text = inputText(input, field)
  if (text !== undefined) return cleanText(maskSecrets(text))
  const isEmpty = typeof input !== 'object' || input === null || Object.keys(input).length === 0
  return isEmpty ? '' : cleanText(JSON.stringify(maskInput(input)))
}
