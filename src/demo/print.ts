import type { Context } from '../context.ts'
import { lacksUnicode, toAscii } from '../io/ascii.ts'
import { textWidth } from '../io/text.ts'
import type { Shot } from './play.ts'

/** A caption, and the screen below it between two rules. */
export function printShot({ out, env }: Context, { caption, lines }: Shot, columns: number): void {
  const plain = (text: string) => (lacksUnicode(env) ? toAscii(text) : text)
  const rule = (title: string) => {
    const rest = Math.max(0, columns - textWidth(title))
    return plain(`${out.paint('bold', title)}${out.paint('dim', '─'.repeat(rest))}`)
  }
  out.line(rule(`─── ${caption} `))
  for (const line of lines) out.line(plain(line.trimEnd()))
  out.line(rule(''))
  out.line()
}
