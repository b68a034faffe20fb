import { type IPty, spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'

export interface Ending {
  code: number
  signal: number
}

export interface TerminalOptions {
  file: string
  args: readonly string[]
  cwd: string
  env: Record<string, string>
  columns?: number
  rows?: number
}

/** Runs a program in its own terminal: sends keys, and keeps its screen and its raw output. */
export class Terminal {
  readonly pid: number
  readonly ended: Promise<Ending>
  raw = ''
  title = ''
  ending: Ending | undefined
  private readonly pty: IPty
  private readonly screenBuffer: xterm.Terminal

  constructor(options: TerminalOptions) {
    const { columns: cols = 100, rows = 30 } = options
    this.screenBuffer = new xterm.Terminal({ cols, rows, allowProposedApi: true })
    this.pty = spawn(options.file, [...options.args], { cols, rows, cwd: options.cwd, env: options.env })
    this.pid = this.pty.pid
    this.pty.onData(data => {
      this.raw += data
      this.screenBuffer.write(data)
    })
    this.screenBuffer.onData(reply => this.send(reply))
    this.screenBuffer.onTitleChange(title => {
      this.title = title
    })
    this.ended = new Promise(resolve => {
      this.pty.onExit(({ exitCode, signal }) => {
        this.ending = { code: exitCode, signal: signal ?? 0 }
        resolve(this.ending)
      })
    })
  }

  send(keys: string): void {
    if (!this.ending) this.pty.write(keys)
  }

  resize(columns: number, rows: number): void {
    this.screenBuffer.resize(columns, rows)
    this.pty.resize(columns, rows)
  }

  /** The visible text. */
  screen(): string {
    const { active } = this.screenBuffer.buffer
    const rows = Array.from({ length: this.screenBuffer.rows }, (_, row) =>
      active.getLine(active.viewportY + row)?.translateToString(true),
    )
    return rows.join('\n')
  }

  /** The whole output without escape sequences. */
  text(): string {
    return this.raw.replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007]*\u0007|[78(]B?)|[\r\u000f]/g, '').trim()
  }

  /** The terminal settings that a program may fail to restore. */
  modes(): Record<string, unknown> {
    const { modes, buffer } = this.screenBuffer
    return {
      buffer: buffer.active.type,
      bracketedPaste: modes.bracketedPasteMode,
      focus: modes.sendFocusMode,
      mouse: modes.mouseTrackingMode,
      cursorHidden: this.lastSwitch('25') === 'l',
      title: this.title,
    }
  }

  /** Returns `h` if the private mode was last set, `l` if it was last reset, undefined if it was never changed. */
  lastSwitch(mode: string): 'h' | 'l' | undefined {
    const found = [...this.raw.matchAll(new RegExp(`\\u001b\\[\\?(?:\\d+;)*${mode}(?:;\\d+)*([hl])`, 'g'))]
    return found.at(-1)?.[1] as 'h' | 'l' | undefined
  }

  /** Closes the terminal, as closing its window does. The kernel then sends SIGHUP. */
  hangUp(): void {
    ;(this.pty as IPty & { destroy(): void }).destroy()
  }

  kill(signal: NodeJS.Signals): void {
    if (!this.ending) process.kill(this.pid, signal)
  }
}
