import { existsSync } from 'node:fs'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { closeWithProgram, explainCrash, markExplaining } from '../tmux/after-crash.ts'
import { announceMission, ringTerminal } from '../tmux/announce.ts'
import { sessionTarget } from '../tmux/current-window.ts'
import { silenceMs } from '../tmux/deadline.ts'
import { paneKeyboard } from '../tmux/pane-keyboard.ts'
import { returnClients } from '../tmux/return-clients.ts'
import { ownSocket } from '../tmux/server.ts'
import { wasJustClosed } from '../tmux/session-closed-marker.ts'
import { showMissionHold } from '../tmux/show-holds.ts'
import { type Tmux, type TmuxCommand, tmuxAt } from '../tmux/tmux.ts'
import { claimForMission, forgetMission } from '../tmux/windows.ts'
import type { Keyboard, ShownMission, ShownState, Surface } from './surface.ts'
import { TerminalSurface } from './terminal.ts'

interface Client {
  name: string
  /** Empty for a client in control mode, which has no terminal. */
  tty: string
}

/** The window in the agenc session that belongs to a running mission. */
export class TmuxWindow extends TerminalSurface implements Surface {
  override readonly diesOfSignals = true
  override readonly keyboard: Keyboard
  readonly #context: Context
  readonly #config: Config
  readonly #tmux: Tmux
  readonly #pane: string
  #isClaimed = false
  #clients: Client[] = []
  #retry: NodeJS.Timeout | undefined

  /** Returns null outside the agenc session. Call it only in the first process of a window. */
  static of(context: Context, config: Config): TmuxWindow | null {
    const { AGENC_TMUX, TMUX_PANE } = context.env
    const socket = ownSocket(context.env)
    if (AGENC_TMUX !== '1' || !TMUX_PANE || socket === null) return null
    return new TmuxWindow(context, config, tmuxAt(context.exec, context.env, socket), TMUX_PANE)
  }

  private constructor(context: Context, config: Config, tmux: Tmux, pane: string) {
    super(context)
    this.#context = context
    this.#config = config
    this.#tmux = tmux
    this.#pane = pane
    this.keyboard = paneKeyboard(tmux, pane)
  }

  override show(mission: ShownMission, shown: ShownState): boolean | null {
    const { state, waitingFor, isDone } = shown
    clearTimeout(this.#retry)
    const answer = this.#tmux.ask(
      ...(this.#isClaimed ? [] : this.#claim(mission)),
      this.#set('@agenc_state', state),
      markExplaining(this.#pane, state === 'crashed'),
      this.#set('@agenc_waiting_for', waitingFor ?? ''),
      this.#set('@agenc_since', String(Math.floor(this.#context.now().getTime() / 1000))),
      ...(isDone ? [] : [['set-option', '-wu', '-t', this.#pane, '@agenc_done']]),
      ['display-message', '-p', '-t', this.#pane, '#{window_active}'],
      [
        'list-clients',
        '-t',
        `${sessionTarget}:`,
        '-F',
        '#{client_name}\t#{?client_control_mode,,#{client_tty}}',
      ],
    )
    if (answer.kind === 'failed' && answer.timedOut) {
      // Otherwise the window would show an old state until the next change.
      this.#retry = setTimeout(() => this.show(mission, shown), silenceMs).unref()
    }
    if (answer.kind !== 'ok') return null
    this.#isClaimed = true
    const [isActive, ...lines] = answer.lines
    this.#clients = lines
      .map(line => line.split('\t'))
      .map(([name, tty]) => ({ name: name!, tty: tty ?? '' }))
    const isWatched = isActive === '1' && this.#clients.length > 0
    if (isDone && !isWatched) this.#tmux.ask(this.#set('@agenc_done', '1'))
    return isWatched
  }

  override alert(words: string): void {
    const { message, bell } = this.#config.notify
    const names = this.#clients.map(({ name }) => name)
    if (message) announceMission(this.#tmux, names, this.#pane, words)
    if (bell) for (const { tty } of this.#clients) ringTerminal(tty)
  }

  override abandon(): void {
    clearTimeout(this.#retry)
    const answer = this.#tmux.ask(closeWithProgram(this.#pane), ...forgetMission(this.#pane))
    // Otherwise the window would claim the mission for as long as it stays open.
    if (answer.kind === 'failed' && answer.timedOut)
      this.#retry = setTimeout(() => this.abandon(), silenceMs).unref()
  }

  override leave({ isStopped }: { isStopped: boolean }): void {
    clearTimeout(this.#retry)
    const { paths, now, env } = this.#context
    const close = closeWithProgram(this.#pane)
    if (isStopped && wasJustClosed(paths, now())) return void this.#tmux.ask(close)
    const parent = isStopped ? undefined : env.AGENC_PARENT_WINDOW
    const answer = this.#tmux.ask(
      close,
      [
        'display-message',
        '-p',
        '-t',
        this.#pane,
        '#{window_id}\t#{window_active}\t#{window_panes}\t#{session_windows}',
      ],
      ['list-clients', '-t', `${sessionTarget}:`, '-F', '#{client_name}'],
    )
    const [facts = '', ...clients] = answer.kind === 'ok' ? answer.lines : []
    const [window, isActive, panes, windows] = facts.split('\t')
    const isLast = panes === '1' && windows === '1'
    if (isLast) returnClients(this.#tmux, clients)
    if (window && Number(panes) > 1) this.#tmux.ask(...forgetMission(window))
    if (parent && this.#returns(isActive === '1')) this.#tmux.ask(['select-window', '-t', parent])
  }

  /** A wrapper that failed to get the lease may have removed the marks. */
  #claim({ id }: ShownMission): TmuxCommand[] {
    const { self, env, paths } = this.#context
    const parent = env.AGENC_PARENT_WINDOW
    const environment = { AGENC_MISSION_UUID: id, ...(parent ? { AGENC_PARENT_WINDOW: parent } : {}) }
    return [
      ...claimForMission(this.#pane, id),
      showMissionHold(this.#pane, existsSync(paths.mission(id).hold)),
      ...explainCrash(self, this.#pane, id, environment),
    ]
  }

  #returns(isActive: boolean): boolean {
    const { return_to_parent: policy } = this.#config.tmux
    return policy === 'always' || (policy === 'when-focused' && isActive)
  }

  #set(name: string, value: string): TmuxCommand {
    return ['set-option', '-w', '-t', this.#pane, name, value]
  }
}
