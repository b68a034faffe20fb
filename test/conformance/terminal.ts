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

/** A program in a terminal of its own: its screen, its raw output, its keys. */
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

  /** What a person sees now. */
  screen(): string {
    const { active } = this.screenBuffer.buffer
    const rows = Array.from({ length: this.screenBuffer.rows }, (_, row) =>
      active.getLine(active.viewportY + row)?.translateToString(true),
    )
    return rows.join('\n')
  }

  /** Everything it printed, without colours and other instructions. */
  text(): string {
    return this.raw.replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007]*\u0007|[78(]B?)|[\r\u000f]/g, '').trim()
  }

  /** The switches a program can leave behind. */
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

  /** Whether a private mode was last set (`h`) or reset (`l`); undefined: never touched. */
  lastSwitch(mode: string): 'h' | 'l' | undefined {
    const found = [...this.raw.matchAll(new RegExp(`\\u001b\\[\\?(?:\\d+;)*${mode}(?:;\\d+)*([hl])`, 'g'))]
    return found.at(-1)?.[1] as 'h' | 'l' | undefined
  }

  /** The window is closed: the terminal is gone, and the kernel says so. */
  hangUp(): void {
    ;(this.pty as IPty & { destroy(): void }).destroy()
  }

  kill(signal: NodeJS.Signals): void {
    if (!this.ending) process.kill(this.pid, signal)
  }
}
