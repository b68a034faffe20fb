import { type Context, isInteractive } from '../context.ts'
import { Cancelled, usageError } from '../errors.ts'
import { promptOutput } from './prompt-output.ts'

type Prompts = typeof import('@inquirer/prompts')
type Ways = Parameters<Prompts['confirm']>[1]

const cancellations = ['ExitPromptError', 'AbortPromptError']

/** inquirer is loaded only when there is something to ask. Esc and Ctrl-C cancel. */
export async function ask<T>(
  context: Context,
  question: (prompts: Prompts, ways: Ways) => Promise<T>,
): Promise<T> {
  const prompts = await import('@inquirer/prompts')
  const escapeKey = new AbortController()
  const onKey = (_text: unknown, key?: { name?: string }) => {
    if (key?.name === 'escape') escapeKey.abort()
  }
  context.stdin.on('keypress', onKey)
  try {
    // Questions go to stderr, so that stdout stays what scripts read.
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
  }
}

export function confirm(context: Context, message: string, fallback: boolean): Promise<boolean> {
  return ask(context, (prompts, ways) => prompts.confirm({ message, default: fallback }, ways))
}

/** For what cannot be undone: asks on a terminal, demands `--yes` elsewhere, and a no is a cancellation. */
export async function confirmOrFlag(
  context: Context,
  message: string,
  yes: boolean | undefined,
): Promise<void> {
  if (yes) return
  if (!isInteractive(context))
    throw usageError('this needs a confirmation', 'Pass --yes to go ahead without one.')
  if (!(await confirm(context, message, false))) throw new Cancelled()
}

export interface Choice<T> {
  name: string
  value: T
  description?: string
}

export function search<T>(context: Context, message: string, choices: readonly Choice<T>[]): Promise<T> {
  const matching = (term = '') =>
    choices.filter(choice => choice.name.toLowerCase().includes(term.toLowerCase()))
  return ask(context, (prompts, ways) => prompts.search<T>({ message, source: matching }, ways))
}
