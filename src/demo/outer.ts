import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { AgencError, Cancelled } from '../errors.ts'
import { type Tmux, tmuxAt } from '../tmux/tmux.ts'
import type { DemoPlace } from './demo-paths.ts'

export interface OuterOptions {
  columns: number
  rows: number
  command: readonly string[]
  signal: AbortSignal
}

const target = '=outer:'
const pauseMs = 40
const patienceMs = 60_000

export function outerSocket({ root }: DemoPlace): string {
  return join(root, 'o')
}

/**
 * A terminal without a terminal: a second tmux, whose only pane shows the demo's client. Popups, menus and the
 * status line are drawn by that client, so that its screen can be read here whole, and keys pressed as by fingers.
 */
export class OuterTerminal {
  readonly #tmux: Tmux
  readonly #signal: AbortSignal

  static open(context: Context, place: DemoPlace, options: OuterOptions): OuterTerminal {
    const { columns, rows, command, signal } = options
    const conf = join(place.root, 'outer.conf')
    writeFileSync(conf, outerConf, { mode: 0o600 })
    const tmux = tmuxAt(context.exec, place.env, outerSocket(place), { configFile: conf })
    const size = ['-x', String(columns), '-y', String(rows)]
    tmux.tell(
      ['new-session', '-d', '-s', 'outer', ...size, ...command],
      // tmux 3.2 does not heed the size of a session that nobody is attached to.
      ['resize-window', '-t', target, ...size],
    )
    return new OuterTerminal(tmux, signal)
  }

  private constructor(tmux: Tmux, signal: AbortSignal) {
    this.#tmux = tmux
    this.#signal = signal
  }

  /** Keys as tmux names them. */
  press(...keys: readonly string[]): void {
    this.#tmux.tell(['send-keys', '-t', target, ...keys])
  }

  type(text: string): void {
    this.#tmux.tell(['send-keys', '-t', target, '-l', text])
  }

  /** The lines of the screen; null once the program in it has ended. */
  lines({ styled = false } = {}): string[] | null {
    const answer = this.#tmux.ask(['capture-pane', '-p', ...(styled ? ['-e', '-N'] : []), '-t', target])
    return answer.kind === 'ok' ? answer.lines : null
  }

  /** Waits until the screen is as wanted, and has come to rest. */
  async until(what: string, isThere: (text: string) => boolean): Promise<void> {
    let last = ''
    await this.#wait(what, () => {
      const lines = this.lines()
      if (lines === null) throw this.#stuck(what)
      const text = lines.join('\n')
      const isSettled = text === last && text !== ''
      last = text
      return isSettled && isThere(text)
    })
  }

  async ended(): Promise<void> {
    await this.#wait('the end of the session', () => this.lines() === null)
  }

  async #wait(what: string, isSo: () => boolean): Promise<void> {
    const deadline = Date.now() + patienceMs
    while (!isSo()) {
      if (this.#signal.aborted) throw new Cancelled()
      if (Date.now() >= deadline) throw this.#stuck(what)
      await sleep(pauseMs)
    }
  }

  #stuck(what: string): AgencError {
    const screen = (this.lines() ?? ['(the session has ended)']).join('\n').trimEnd()
    return new AgencError(`the demo came to a halt while it waited for ${what}\n${screen}`, 'Run it again.')
  }
}

const outerConf = `set -g status off
set -g prefix None
set -s escape-time 0
set -g default-terminal screen-256color
set -g remain-on-exit off
`
