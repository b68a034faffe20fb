import type { Context } from '../context.ts'
import { lacksUnicode, toAscii, wrap } from '../io/text.ts'
import type { Shot } from './play.ts'

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
