import { realpathSync } from 'node:fs'
import { relative } from 'node:path'
import { isObject } from '../io/json.ts'
import { cleanText } from '../io/text.ts'
import { maskInput, maskSecrets } from './mask-secrets.ts'
import { inputText, pathField, textField } from './tool-input.ts'

/**
 * The command, path, URL or question of a request, in one line and with secrets masked. Paths in `directory`, where the mission
 * works, are relative to it.
 */
export function requestSummary(tool: string, input: unknown, directory: string): string {
  const field = pathField(tool) ?? textField(tool) ?? 'command'
  const text = inputText(input, field) ?? inputText(input, 'url')
  if (text !== undefined) return cleanText(maskSecrets(shortened(text, field === 'command', directory)))
  const dialog = dialogText(tool, input)
  if (dialog !== undefined) return cleanText(maskSecrets(dialog))
  const isEmpty = typeof input !== 'object' || input === null || Object.keys(input).length === 0
  return isEmpty ? '' : cleanText(JSON.stringify(maskInput(input)))
}

/** The texts of the questions, or the first line of the plan. */
function dialogText(tool: string, input: unknown): string | undefined {
  if (!isObject(input)) return undefined
  if (tool === 'ExitPlanMode') return inputText(input, 'plan')?.trim().split('\n')[0]
  if (tool !== 'AskUserQuestion' || !Array.isArray(input.questions)) return undefined
  return input.questions.map(question => inputText(question, 'question') ?? '').join(' / ')
}

/** Makes paths relative. Claude may name the directory by its real path, where agenc's home is a link. */
export function shortened(text: string, isCommand: boolean, directory: string): string {
  if (!text.includes('/')) return text
  const shorten = isCommand ? shortenedInCommand : shortenedPath
  return shorten(shorten(text, directory), realPath(directory))
}

function shortenedPath(path: string, directory: string): string {
  const isInside = path === directory || path.startsWith(`${directory}/`)
  return isInside ? relative(directory, path) || '.' : path
}

/** The directory becomes a dot: `rm -rf <directory>/` must not lose its argument. */
function shortenedInCommand(text: string, directory: string): string {
  const isBoundary = (character: string | undefined) =>
    character === undefined || /[\s'"=:;&|()<>]/.test(character)
  return text.split(directory).reduce((before, after) => {
    const isWhole = isBoundary(before.at(-1)) && (after.startsWith('/') || isBoundary(after[0]))
    return `${before}${isWhole ? '.' : directory}${after}`
  })
}

function realPath(directory: string): string {
  try {
    return realpathSync(directory)
  } catch {
    return directory
  }
}
