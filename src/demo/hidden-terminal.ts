import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { AgencError, Cancelled } from '../errors.ts'
import { type Tmux, tmuxAt } from '../tmux/tmux.ts'
import type { DemoPlace } from './demo-place.ts'

export interface HiddenTerminalOptions {
  columns: number
  rows: number
  command: readonly string[]
  signal: AbortSignal
}

const target = '=hidden:'
const pollMs = 40
const timeoutMs = 60_000

export function hiddenSocket({ root }: DemoPlace): string {
  return join(root, 'o')
}

/**
 * A terminal that no user sees: a second tmux server, whose only pane runs a client of the demo's server. That client
 * draws popups, menus and the status line, so the pane has the whole screen, and keys sent to it act like real ones.
 */
export class HiddenTerminal {
  readonly #tmux: Tmux
  readonly #signal: AbortSignal

  static open(context: Context, place: DemoPlace, options: HiddenTerminalOptions): HiddenTerminal {
    const { columns, rows, command, signal } = options
    const configFile = join(place.root, 'hidden.conf')
    writeFileSync(configFile, hiddenConf, { mode: 0o600 })
    const tmux = tmuxAt(context.exec, place.env, hiddenSocket(place), { configFile })
    const size = ['-x', String(columns), '-y', String(rows)]
    tmux.tell(
      ['new-session', '-d', '-s', 'hidden', ...size, ...command],
      // tmux 3.2 ignores the size of a session without a client.
      ['resize-window', '-t', target, ...size],
    )
    return new HiddenTerminal(tmux, signal)
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

  /** The lines of the screen. Returns null once the program in it has ended. */
  lines({ styled = false } = {}): string[] | null {
    const answer = this.#tmux.ask(['capture-pane', '-p', ...(styled ? ['-e', '-N'] : []), '-t', target])
    return answer.kind === 'ok' ? answer.lines : null
  }

  /** Waits until the screen matches and has stopped changing. */
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
    const deadline = Date.now() + timeoutMs
    while (!isSo()) {
      if (this.#signal.aborted) throw new Cancelled()
      if (Date.now() >= deadline) throw this.#stuck(what)
      await sleep(pollMs)
    }
  }

  #stuck(what: string): AgencError {
    const screen = (this.lines() ?? ['(the session has ended)']).join('\n').trimEnd()
    return new AgencError(`the demo got stuck waiting for ${what}\n${screen}`, 'Run it again.')
  }
}

const hiddenConf = `set -g status off
set -g prefix None
set -s escape-time 0
set -g default-terminal screen-256color
set -g remain-on-exit off
`
