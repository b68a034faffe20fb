import { type Context, isInteractive } from '../context.ts'
import { Cancelled, usageError } from '../errors.ts'
import { atProcessEnd } from '../system/process-end.ts'
import { wantsColour } from './colour.ts'
import { lacksUnicode, toAscii } from './text.ts'

type Prompts = typeof import('@inquirer/prompts')
type PromptContext = Parameters<Prompts['confirm']>[1]

const showCursor = '\u001b[?25h'
const cancellations = ['ExitPromptError', 'AbortPromptError']

/** Asks a question with inquirer, which is loaded only now. Esc and Ctrl-C throw `Cancelled`. */
export async function ask<T>(
  context: Context,
  question: (prompts: Prompts, promptContext: PromptContext) => Promise<T>,
): Promise<T> {
  const prompts = await import('@inquirer/prompts')
  const escapeKey = new AbortController()
  const onKey = (_text: unknown, key?: { name?: string }) => {
    if (key?.name === 'escape') escapeKey.abort()
  }
  const promptHasEnded = atProcessEnd(() => restoreTerminal(context))
  context.stdin.on('keypress', onKey)
  try {
    return await question(prompts, {
      input: context.stdin,
      output: promptOutput(context.env),
      signal: escapeKey.signal,
    })
  } catch (error) {
    if (error instanceof Error && cancellations.includes(error.name)) throw new Cancelled()
    throw error
  } finally {
    context.stdin.off('keypress', onKey)
    promptHasEnded()
  }
}

/** inquirer restores the terminal only when the question ends. A signal would leave it without echo or cursor. */
function restoreTerminal({ stdin, err }: Context): void {
  stdin.setRawMode?.(false)
  err.write(`${showCursor}\n`)
}

/** Questions go to stderr, so that stdout holds only what scripts read. */
function promptOutput(env: NodeJS.ProcessEnv): NodeJS.WritableStream {
  const shown = shownBy(env)
  if (shown === null) return process.stderr
  // Loaded only here, because it costs 2 ms.
  const { Writable } = process.getBuiltinModule('node:stream')
  const filtered = new Writable({
    decodeStrings: false,
    write: (text: Buffer | string, _encoding, done) => void process.stderr.write(shown(String(text)), done),
  })
  return Object.assign(filtered, { columns: process.stderr.columns, isTTY: true })
}

const colours = /\u001b\[(?:3\d|4\d|9\d|10\d)m/g

/** What this terminal should get of a question's text. Null if it should get all. Older Nodes ignore NO_COLOR. */
function shownBy(env: NodeJS.ProcessEnv): ((text: string) => string) | null {
  const isAscii = lacksUnicode(env)
  const isPlain = !wantsColour(true, env)
  if (!isAscii && !isPlain) return null
  return text => {
    const plain = isPlain ? text.replace(colours, '') : text
    return isAscii ? toAscii(plain) : plain
  }
}

export function confirm(context: Context, message: string, fallback: boolean): Promise<boolean> {
  return ask(context, (prompts, promptContext) =>
    prompts.confirm({ message, default: fallback }, promptContext),
  )
}

/** For actions that cannot be undone: asks on a terminal, and requires `--yes` elsewhere. "No" throws `Cancelled`. */
export async function confirmOrFlag(
  context: Context,
  message: string,
  yes: boolean | undefined,
): Promise<void> {
  if (yes) return
  if (!isInteractive(context)) throw usageError('this needs a confirmation', 'Confirm it with --yes.')
  if (!(await confirm(context, message, false))) throw new Cancelled()
}

export interface Choice<T> {
  name: string
  value: T
  description?: string
  /** The text that is searched, if it is not the name. */
  searched?: string
}

export function search<T>(context: Context, message: string, choices: readonly Choice<T>[]): Promise<T> {
  const matching = (term = '') =>
    choices.filter(({ name, searched = name }) => searched.toLowerCase().includes(term.toLowerCase()))
  return ask(context, (prompts, promptContext) =>
    prompts.search<T>({ message, source: matching }, promptContext),
  )
}
