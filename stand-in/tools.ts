import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type BashPlace, expectsNoOutput, type Shells } from './bash.ts'
import type { Input } from './hook-decision.ts'

export type ToolResult =
  /** `input` when the tool's own dialog completed it. */
  | { kind: 'done'; response: unknown; text: unknown; input?: Input }
  | { kind: 'failed'; error: string }
  /** Never ran: no PostToolUse follows. */
  | { kind: 'refused'; text: string }

export interface ToolPlace extends BashPlace {
  shells: Shells
  signal: AbortSignal
}

export async function runTool(
  name: string,
  given: Input,
  input: Input,
  place: ToolPlace,
): Promise<ToolResult> {
  switch (name) {
    case 'Bash':
      return runBash(String(input.command), place)
    case 'Write':
      return writeFile(String(given.file_path), String(input.file_path), String(input.content ?? ''))
    case 'Edit':
      return editFile(String(given.file_path), input)
    case 'Read':
      return readFile(String(given.file_path), String(input.file_path))
    default:
      return {
        kind: 'refused',
        text: `<tool_use_error>Error: No such tool available: ${name}</tool_use_error>`,
      }
  }
}

async function runBash(command: string, place: ToolPlace): Promise<ToolResult> {
  const { exitCode, output } = await place.shells.run(command, place, place.signal)
  if (exitCode !== 0)
    return { kind: 'failed', error: [`Exit code ${exitCode}`, output].filter(Boolean).join('\n') }
  const noOutputExpected = expectsNoOutput(command)
  const response = { stdout: output, stderr: '', interrupted: false, isImage: false, noOutputExpected }
  return { kind: 'done', response, text: output || '(Bash completed with no output)' }
}

const inContext = '(file state is current in your context — no need to Read it back)'

function writeFile(shown: string, path: string, content: string): ToolResult {
  const originalFile = existsSync(path) ? readFileSync(path, 'utf8') : null
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  const type = originalFile === null ? 'create' : 'update'
  const response = { type, filePath: shown, content, structuredPatch: [], originalFile, userModified: false }
  const text =
    type === 'create'
      ? `File created successfully at: ${shown} ${inContext}`
      : `The file ${shown} has been updated successfully. ${inContext}`
  return { kind: 'done', response, text }
}

function editFile(shown: string, input: Input): ToolResult {
  const path = String(input.file_path)
  const [oldString, newString] = [String(input.old_string), String(input.new_string)]
  const originalFile = existsSync(path) ? readFileSync(path, 'utf8') : ''
  if (!originalFile.includes(oldString))
    return { kind: 'failed', error: 'String to replace not found in file.' }
  const replaceAll = input.replace_all === true
  const content = replaceAll
    ? originalFile.replaceAll(oldString, () => newString)
    : originalFile.replace(oldString, () => newString)
  writeFileSync(path, content)
  const response = { filePath: shown, oldString, newString, originalFile, userModified: false, replaceAll }
  return { kind: 'done', response, text: `The file ${shown} has been updated successfully. ${inContext}` }
}

function readFile(shown: string, path: string): ToolResult {
  if (!existsSync(path)) return { kind: 'failed', error: 'File does not exist.' }
  const content = readFileSync(path, 'utf8')
  const lines = content.split('\n')
  const file = { filePath: shown, content, numLines: lines.length, startLine: 1, totalLines: lines.length }
  const text = lines.map((line, index) => `${index + 1}\t${line}`).join('\n')
  return { kind: 'done', response: { type: 'text', file }, text }
}
