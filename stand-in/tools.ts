import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import type { AgentContext } from './agent-context.ts'
import { type BashPlace, expectsNoOutput, type Shells } from './bash-tool.ts'
import type { Session } from './claude-session.ts'
import type { Question } from './dialog-texts.ts'
import type { ToolInput } from './script.ts'

export type ToolResult =
  | { kind: 'done'; response: unknown; text: unknown }
  | { kind: 'failed'; error: string }
  /** The tool did not run, so no PostToolUse hook follows. */
  | { kind: 'refused'; text: string }

export interface ToolPlace extends BashPlace {
  shells: Shells
  signal: AbortSignal
}

export async function runTool(
  name: string,
  given: ToolInput,
  input: ToolInput,
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

function editFile(shown: string, input: ToolInput): ToolResult {
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

const pathTools = new Set(['Edit', 'Read', 'Write'])

/** The input as a tool's hooks receive it: paths are absolute and defaults are filled in. */
export function inputFor(context: AgentContext, name: string, given: ToolInput): ToolInput {
  if (name === 'ExitPlanMode') return writtenPlan(context)
  const input = { ...given }
  if (pathTools.has(name) && typeof input.file_path === 'string' && !isAbsolute(input.file_path)) {
    input.file_path = resolve(context.session.cwd, input.file_path)
  }
  if (name === 'Edit') input.replace_all ??= false
  if (name === 'Agent') delete input.run_in_background
  return input
}

/** The input as PostToolBatch reports it: defaults are filled in, but paths are as the model gave them. */
export function batchInput(context: AgentContext, name: string, given: ToolInput): ToolInput {
  if (name === 'ExitPlanMode') return { ...given, ...writtenPlan(context) }
  return name === 'Edit' ? { replace_all: false, ...given } : given
}

/** A plan is read from its file, whatever the model passes as input. */
function writtenPlan({ session }: AgentContext): ToolInput {
  const planFilePath = session.planFile()
  return existsSync(planFilePath) ? { plan: readFileSync(planFilePath, 'utf8'), planFilePath } : {}
}

interface AnsweredInput {
  questions?: Question[]
  answers?: Record<string, string>
  annotations?: Record<string, { notes?: string }>
}

/** The dialog, or a hook, has already added the answers to the input. */
export function answeredQuestions(input: ToolInput): ToolResult {
  const { questions = [], answers = {}, annotations = {} } = input as AnsweredInput
  const notes = (question: string) => {
    const noted = annotations[question]?.notes
    return noted ? ` notes: ${noted}` : ''
  }
  const pairs = Object.entries(answers).map(
    ([question, answer]) => `"${question}"="${answer}"${notes(question)}`,
  )
  const isPlain = questions.every(
    asked => areOptions(asked, answers[asked.question]) && !notes(asked.question),
  )
  const text =
    pairs.length === 0
      ? 'The user did not answer the questions.'
      : isPlain
        ? `Your questions have been answered: ${pairs.join(', ')}. You can now continue with these answers in mind.`
        : `The user answered: ${pairs.join(', ')}. ${readCarefully}`
  return { kind: 'done', response: { ...input, answers }, text }
}

/** A hook may give several choices as a list. */
export function withJoinedAnswers(input: ToolInput): ToolInput {
  const { answers } = input as { answers?: Record<string, unknown> }
  if (!answers) return input
  const joined = Object.entries(answers).map(([question, answer]) => [
    question,
    Array.isArray(answer) ? answer.join(', ') : answer,
  ])
  return { ...input, answers: Object.fromEntries(joined) }
}

const readCarefully =
  'Read the answers carefully — they may request clarification, changes, or that you not proceed — and follow what they actually say.'

function areOptions({ options, multiSelect }: Question, answer: string | undefined): boolean {
  const words = multiSelect ? answer?.split(', ') : [answer]
  return words?.every(word => options.some(({ label }) => label === word)) ?? false
}

/** The result of an approved ExitPlanMode. */
export function leftPlanMode(session: Session): ToolResult {
  const filePath = session.planFile()
  const plan = existsSync(filePath) ? readFileSync(filePath, 'utf8') : null
  const text =
    plan === null
      ? 'User has approved exiting plan mode. You can now proceed.'
      : `User has approved your plan. You can now start coding.\n\n## Approved Plan:\n${plan}`
  return { kind: 'done', response: { plan, isAgent: false, filePath }, text }
}
