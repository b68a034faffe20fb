import type { Context } from '../context.ts'
import { ask } from '../io/prompt.ts'
import { padEnd, textWidth, truncate, wrap } from '../io/text.ts'

export interface Option<T> {
  value: T
  name: string
  /** Shown after the name if there is room. */
  note?: string
  /** Shown in full while the cursor is on the option. */
  about?: string
}

export interface Question<T> {
  message: string
  /** One line about the purpose of the question. */
  why: string
  options: readonly Option<T>[]
  fallback: T
}

/** Columns for the cursor in front of an option. */
const margin = 4

export async function choose<T>(context: Context, question: Question<T>): Promise<T> {
  explain(context, question.why)
  const { columns } = context.err
  const width = Math.max(...question.options.map(({ name }) => textWidth(name)))
  return ask(context, (prompts, ways) =>
    prompts.select(
      {
        message: question.message,
        default: question.fallback,
        pageSize: 9,
        loop: false,
        choices: question.options.map(({ value, name, note, about }) => ({
          value,
          name: truncate(note ? `${padEnd(name, width)}  ${note}` : name, columns - margin),
          short: truncate(name, columns - question.message.length - margin),
          description: about,
        })),
      },
      ways,
    ),
  )
}

/** `problem` returns what is wrong with an answer, or null. */
export async function askText(
  context: Context,
  { message, why, fallback }: { message: string; why: string; fallback: string },
  problem: (text: string) => string | null,
): Promise<string> {
  explain(context, why)
  return ask(context, (prompts, ways) =>
    prompts.input({ message, default: fallback || undefined, validate: text => problem(text) ?? true }, ways),
  )
}

export async function askYesNo(
  context: Context,
  { message, why, fallback }: { message: string; why: string; fallback: boolean },
): Promise<boolean> {
  explain(context, why)
  return ask(context, (prompts, ways) => prompts.confirm({ message, default: fallback }, ways))
}

export function explain({ err }: Context, text: string): void {
  err.line()
  for (const line of wrap(text, err.columns)) err.line(err.paint('dim', line))
}
