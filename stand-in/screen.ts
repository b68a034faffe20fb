import type { WriteStream } from 'node:tty'

const esc = '\u001b['
const on = {
  reports: `${esc}?2004h${esc}?2031h${esc}?1004h`,
  alternate: `${esc}?1049h${esc}2J${esc}H`,
  mouse: `${esc}?1000h${esc}?1002h${esc}?1003h${esc}?1006h`,
  hiddenCursor: `${esc}?25l`,
  questions: `${esc}>0q${esc}?u${esc}c`,
  keyboard: `${esc}<u${esc}>5u${esc}>4;2m`,
} as const
const off = {
  mouse: `${esc}?1006l${esc}?1003l${esc}?1002l${esc}?1000l`,
  reports: `${esc}?1004l${esc}?2031l${esc}?2004l`,
  alternate: `${esc}?1049l`,
  cursor: `${esc}?25h`,
  modifyKeys: `${esc}>4m`,
  keyboard: `${esc}<u`,
} as const

/** Takes over the terminal as a full-screen program does, and restores it afterwards. */
export class Screen {
  private readonly output: WriteStream
  private state: 'closed' | 'inline' | 'full' = 'closed'
  private drawn: string[] = []
  private title = ''
  private keyboardProtocol = false

  constructor(output: WriteStream) {
    this.output = output
    output.on('error', () => {})
  }

  get columns(): number {
    return this.output.columns || 80
  }

  get rows(): number {
    return this.output.rows || 24
  }

  /** Startup dialogs are drawn on the main screen, below the existing text. */
  openInline(): void {
    if (this.state !== 'closed') return
    this.state = 'inline'
    this.drawn = []
    this.write(on.hiddenCursor + on.reports)
  }

  openFull(): void {
    this.state = 'full'
    this.drawn = []
    this.write(on.reports + titleOf(this.title) + on.alternate + on.mouse + on.hiddenCursor + on.questions)
  }

  setTitle(title: string): void {
    if (title === this.title) return
    this.title = title
    if (this.state === 'full') this.write(titleOf(title))
  }

  /** Only a terminal that reports support for the newer keyboard protocol is switched to it. */
  useKeyboardProtocol(): void {
    if (this.keyboardProtocol || this.state !== 'full') return
    this.keyboardProtocol = true
    this.write(on.keyboard)
  }

  draw(lines: readonly string[]): void {
    if (this.state === 'closed') return
    const changed = this.state === 'full' ? this.changedRows(lines) : this.inlineRedraw(lines)
    this.drawn = [...lines]
    if (changed) this.write(changed)
  }

  resized(): void {
    this.drawn = []
    if (this.state === 'full') this.write(`${esc}2J`)
  }

  /** Restores the terminal. `keepTitle` is for a program that will be back. */
  close(options: { keepTitle?: boolean } = {}): void {
    if (this.state === 'closed') return
    const alternate = this.state === 'full' ? off.alternate : ''
    const keyboard = this.keyboardProtocol ? off.keyboard : ''
    this.state = 'closed'
    this.keyboardProtocol = false
    this.write(off.mouse + off.cursor + alternate + off.modifyKeys + keyboard + off.reports)
    if (!options.keepTitle) this.write(titleOf(''))
  }

  print(text: string): void {
    this.write(text)
  }

  private changedRows(lines: readonly string[]): string {
    return lines
      .map((line, row) => (line === this.drawn[row] ? '' : `${esc}${row + 1};1H${line}${esc}0m${esc}K`))
      .join('')
  }

  private inlineRedraw(lines: readonly string[]): string {
    const back = this.drawn.length > 1 ? `${esc}${this.drawn.length - 1}A` : ''
    return `${back}\r${esc}J${lines.join('\r\n')}`
  }

  /** Output to a terminal that is gone is dropped. */
  private write(text: string): void {
    if (!this.output.destroyed) this.output.write(text)
  }
}

function titleOf(title: string): string {
  return `\u001b]0;${title}\u0007`
}
