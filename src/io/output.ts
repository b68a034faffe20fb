import { type Paint, paintFor } from './colour.ts'

/** One of the two output streams, with what a printer needs to know about it. */
export interface Output {
  write(text: string): void
  line(text?: string): void
  isTerminal: boolean
  columns: number
  paint: Paint
}

const fallbackColumns = 80

export function outputOf(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Output {
  return {
    write: text => {
      stream.write(text)
    },
    line: (text = '') => {
      stream.write(`${text}\n`)
    },
    isTerminal: Boolean(stream.isTTY),
    columns: stream.columns || Number(env.COLUMNS) || fallbackColumns,
    paint: paintFor(Boolean(stream.isTTY), env),
  }
}
