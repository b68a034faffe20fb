import type { Context } from '../context.ts'
import { lacksUnicode, toAscii, wrap } from '../io/text.ts'
import { HiddenTerminal } from './hidden-terminal.ts'
import type { Visit } from './run-demo.ts'
import { type Act, type Step, tourSteps } from './tour-steps.ts'

export interface Screenshot {
  caption: string
  /** The lines of the screen, with colours if `styled`. */
  lines: string[]
}

export interface PlayOptions {
  columns: number
  rows: number
  styled: boolean
}

/** Walks through the tour by pressing its keys in a hidden terminal, and yields the screen after each step. */
export async function* playTour(
  { context, place, keys, signal }: Visit,
  { columns, rows, styled }: PlayOptions,
): AsyncGenerator<Screenshot> {
  const command = ['env', '-u', 'TMUX', '-u', 'TMUX_PANE', ...context.self, 'tmux', 'attach']
  const terminal = HiddenTerminal.open(context, place, { columns, rows, command, signal })
  for (const step of tourSteps(keys)) {
    await take(terminal, step)
    yield { caption: step.caption, lines: terminal.lines({ styled }) ?? [] }
  }
  terminal.press(keys.prefix, 'a', 'd')
  await terminal.ended()
}

async function take(terminal: HiddenTerminal, { caption, does, shows, hides = [] }: Step): Promise<void> {
  for (const act of does) await perform(terminal, act)
  await terminal.until(caption, text => {
    const isShown = shows.every(pattern => pattern.test(text)) && !hides.some(pattern => pattern.test(text))
    return isShown && !hidesStatusLine(text)
  })
}

async function perform(terminal: HiddenTerminal, act: Act): Promise<void> {
  if ('press' in act) return terminal.press(...act.press)
  if ('gone' in act) return terminal.until(`${act.gone} to disappear`, text => !act.gone.test(text))
  terminal.type(act.type)
  await terminal.until(`'${act.type}' on the screen`, text => text.includes(act.type))
}

/** tmux shows a message over the status line for a moment. */
function hidesStatusLine(text: string): boolean {
  return /(?:^|\n)\S.* (asks\b.*|is done) *$/.test(text.trimEnd())
}

/** Prints a caption, and below it the screen between two lines. */
export function printScreenshot(
  { out, env }: Context,
  { caption, lines }: Screenshot,
  columns: number,
): void {
  const say = (text: string) => out.line(lacksUnicode(env) ? toAscii(text) : text)
  const rule = out.paint('dim', '─'.repeat(columns))
  for (const line of wrap(caption, columns)) say(out.paint('bold', line))
  say(rule)
  for (const line of lines) say(line.trimEnd())
  say(rule)
  say('')
}
