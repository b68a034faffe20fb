import pty from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { onTestFinished } from 'vitest'
import { waitFor } from './wait.ts'

/** One column of a row, as a user sees it: if it is drawn reversed, the colours are swapped. */
export interface SeenCell {
  text: string
  /** The number of a palette colour, or null for the terminal's own colour. */
  foreground: number | null
  background: number | null
  isReverse: boolean
  isBold: boolean
}

export interface Terminal {
  pid: number
  /** The text on the screen. */
  screen(): string
  /** The last row, where tmux draws its status line. */
  lastRow(): SeenCell[]
  /** The cells of the first row that holds this text, from the text on. */
  cellsAt(text: string): SeenCell[]
  /** All output so far, with its escape sequences. */
  raw(): string
  type(keys: string): void
  resize(columns: number, rows: number): void
  waitForText(text: string | RegExp, timeoutMs?: number): Promise<string>
  /** Resolves to the exit code, or to 128 + signal, when the program has ended. */
  exited: Promise<number>
  /** After the end: the number of the signal that ended the program, or 0. */
  diedOf(): number
  kill(signal?: string): void
}

export interface TerminalOptions {
  env: NodeJS.ProcessEnv
  cwd?: string
  columns?: number
  rows?: number
}

/** Runs a program in a real terminal. */
export function openTerminal(file: string, args: string[], options: TerminalOptions): Terminal {
  const { columns = 100, rows = 30 } = options
  const screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 1000 })
  const child = pty.spawn(file, args, {
    cols: columns,
    rows,
    cwd: options.cwd,
    env: options.env as Record<string, string>,
    name: 'xterm-256color',
  })
  let raw = ''
  let isRunning = true
  let diedOf = 0
  child.onData(data => {
    raw += data
    screen.write(data)
  })
  screen.onData(reply => isRunning && child.write(reply))
  const exited = new Promise<number>(resolve => {
    child.onExit(({ exitCode, signal }) => {
      isRunning = false
      diedOf = signal ?? 0
      // Resolve only after the last output is on the screen.
      screen.write('', () => resolve(signal ? 128 + signal : exitCode))
    })
  })
  onTestFinished(() => {
    if (isRunning) child.kill('SIGKILL')
  })
  const terminal: Terminal = {
    pid: child.pid,
    screen: () => screenText(screen),
    lastRow: () => cellsOf(screen, screen.rows - 1),
    cellsAt: text => {
      const rows = screenText(screen).split('\n')
      const row = rows.findIndex(line => line.includes(text))
      return cellsOf(screen, row).slice(rows[row]!.indexOf(text))
    },
    raw: () => raw,
    type: keys => child.write(keys),
    resize: (newColumns, newRows) => {
      child.resize(newColumns, newRows)
      screen.resize(newColumns, newRows)
    },
    waitForText: async (text, timeoutMs) => {
      const isThere = () =>
        typeof text === 'string' ? terminal.screen().includes(text) : text.test(terminal.screen())
      await waitFor(`${text} on the screen`, isThere, timeoutMs).catch(error => {
        throw new Error(`${error.message}\n--- screen ---\n${terminal.screen()}\n---`)
      })
      return terminal.screen()
    },
    exited,
    diedOf: () => diedOf,
    kill: signal => child.kill(signal),
  }
  return terminal
}

function screenText(screen: InstanceType<typeof xterm.Terminal>): string {
  const buffer = screen.buffer.active
  const lines: string[] = []
  for (let row = 0; row < screen.rows; row++) {
    lines.push(buffer.getLine(buffer.baseY + row)?.translateToString(true) ?? '')
  }
  return lines.join('\n').trimEnd()
}

function cellsOf(screen: InstanceType<typeof xterm.Terminal>, row: number): SeenCell[] {
  const line = screen.buffer.active.getLine(screen.buffer.active.baseY + row)!
  return Array.from({ length: screen.cols }, (_, column) => {
    const cell = line.getCell(column)!
    if (cell.isFgRGB() || cell.isBgRGB()) throw new Error('a colour that is in no palette')
    const colours = [
      cell.isFgDefault() ? null : cell.getFgColor(),
      cell.isBgDefault() ? null : cell.getBgColor(),
    ]
    const [foreground, background] = cell.isInverse() ? colours.reverse() : colours
    return {
      text: cell.getChars(),
      foreground: foreground!,
      background: background!,
      isReverse: Boolean(cell.isInverse()),
      isBold: Boolean(cell.isBold()),
    }
  })
}
