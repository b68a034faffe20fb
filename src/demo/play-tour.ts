import type { Context } from '../context.ts'
import { lacksUnicode, toAscii } from '../io/ascii.ts'
import { wrap } from '../io/wrap.ts'
import { findProgram } from '../system/find-program.ts'
import { OuterTerminal } from './hidden-terminal.ts'
import type { Visit } from './run-demo.ts'
import { type Act, type Step, tourSteps } from './tour-steps.ts'

export interface Shot {
  caption: string
  /** The lines of the screen, with colours where they were asked for. */
  lines: string[]
}

export interface PlayOptions {
  columns: number
  rows: number
  styled: boolean
}

/** Walks the tour with real keys on a real screen. */
export async function* play(
  { context, place, keys, signal }: Visit,
  { columns, rows, styled }: PlayOptions,
): AsyncGenerator<Shot> {
  const command = ['env', '-u', 'TMUX', '-u', 'TMUX_PANE', ...context.self, 'tmux', 'attach']
  const terminal = OuterTerminal.open(context, place, { columns, rows, command, signal })
  const hasFzf = findProgram('fzf', place.env) !== null
  for (const step of tourSteps(keys, { hasFzf })) {
    await take(terminal, step)
    yield { caption: step.caption, lines: terminal.lines({ styled }) ?? [] }
  }
  terminal.press(keys.prefix, 'a', 'd')
  await terminal.ended()
}

async function take(terminal: OuterTerminal, { caption, does, shows, hides = [] }: Step): Promise<void> {
  for (const act of does) await perform(terminal, act)
  await terminal.until(caption, text => {
    const isShown = shows.every(pattern => pattern.test(text)) && !hides.some(pattern => pattern.test(text))
    return isShown && !isNews(text)
  })
}

async function perform(terminal: OuterTerminal, act: Act): Promise<void> {
  if ('press' in act) return terminal.press(...act.press)
  if ('gone' in act) return terminal.until(`${act.gone} to be gone`, text => !act.gone.test(text))
  terminal.type(act.type)
  await terminal.until(`'${act.type}' on the screen`, text => text.includes(act.type))
}

/** A message of tmux, which lies over the status line for a moment. */
function isNews(text: string): boolean {
  return /(waits for you \(\w+\)|is done) *$/.test(text.trimEnd())
}

/** A caption, and the screen below it between two rules. */
export function printShot({ out, env }: Context, { caption, lines }: Shot, columns: number): void {
  const say = (text: string) => out.line(lacksUnicode(env) ? toAscii(text) : text)
  const rule = out.paint('dim', '─'.repeat(columns))
  for (const line of wrap(caption, columns)) say(out.paint('bold', line))
  say(rule)
  for (const line of lines) say(line.trimEnd())
  say(rule)
  say('')
}
