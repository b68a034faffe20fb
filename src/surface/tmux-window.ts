import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import type { MissionRecord, State, WaitingFor } from '../db/mission-record.ts'
import { displayName, windowName } from '../mission/naming.ts'
import { announce } from '../tmux/announce.ts'
import { sessionTarget, type WindowId } from '../tmux/current-window.ts'
import { sendBack } from '../tmux/return-clients.ts'
import { ring } from '../tmux/ring-terminal.ts'
import { socketOf } from '../tmux/server.ts'
import { wasJustClosed } from '../tmux/session-closed-marker.ts'
import { type Tmux, type TmuxCommand, tmuxAt } from '../tmux/tmux.ts'
import { claim, forget, renameMissionWindow } from '../tmux/windows.ts'

export interface ShownState {
  state: State
  waitingFor: WaitingFor | null
  background: boolean
  /** It waits, but a rule is about to answer: nobody is called. */
  isHandled?: boolean
}

type Mission = Pick<MissionRecord, 'id' | 'name' | 'repo'>

/** The window that a running mission has to itself, as its wrapper sees it. */
export class MissionWindow {
  readonly #context: Context
  readonly #tmux: Tmux
  readonly #pane: string
  readonly #config: Config
  #shown: ShownState | null = null

  /** null: this process is not the first of a window in the agenc session. */
  static of(context: Context, config: Config): MissionWindow | null {
    const { AGENC_TMUX, TMUX_PANE } = context.env
    const socket = socketOf(context.env)
    if (AGENC_TMUX !== '1' || !TMUX_PANE || socket === null) return null
    return new MissionWindow(context, tmuxAt(context.exec, context.env, socket), TMUX_PANE, config)
  }

  private constructor(context: Context, tmux: Tmux, pane: string, config: Config) {
    this.#context = context
    this.#tmux = tmux
    this.#pane = pane
    this.#config = config
  }

  /** Keeps `@agenc_state` current, and tells a user who looks elsewhere. */
  show(mission: Mission, next: ShownState): void {
    const before = this.#shown
    this.#shown = next
    if (before && isSame(before, next)) return
    const set = (name: string, value: string): TmuxCommand => [
      'set-option',
      '-w',
      '-t',
      this.#pane,
      name,
      value,
    ]
    const isDone = before?.state === 'busy' && next.state === 'idle'
    const answer = this.#tmux.ask(
      ...(before === null ? claim(this.#pane, mission) : []),
      set('@agenc_state', next.state),
      set('@agenc_waiting_for', next.waitingFor ?? ''),
      set('@agenc_since', String(Math.floor(this.#context.now().getTime() / 1000))),
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
    const startsToWait = callsForUser(next) && !(before && callsForUser(before))
    if (answer.kind === 'ok' && (isDone || startsToWait)) this.#notify(mission, next, answer.lines)
  }

  rename(mission: Mission): void {
    const answer = this.#tmux.ask(['display-message', '-p', '-t', this.#pane, '#{window_id}'])
    if (answer.kind === 'ok') this.#tmux.ask(...renameMissionWindow(answer.lines[0] as WindowId, mission))
  }

  #notify(mission: Mission, { state, waitingFor }: ShownState, [isActive, ...clientLines]: string[]): void {
    const clients = clientLines.map(line => line.split('\t') as [name: string, tty: string])
    if (isActive === '1' && clients.length > 0) return
    const { bell, message, command } = this.#config.notify
    const words = state === 'waiting' ? `waits for you (${waitingFor})` : 'is done'
    if (state === 'idle') this.#tmux.ask(['set-option', '-w', '-t', this.#pane, '@agenc_done', '1'])
    const names = clients.map(([name]) => name)
    if (message) announce(this.#tmux, names, `${windowName(mission)} ${words}`)
    if (bell) for (const [, tty] of clients) ring(tty)
    if (command) this.#runCommand(command, mission, state, waitingFor)
  }

  #runCommand(
    [program, ...args]: string[],
    mission: Mission,
    state: string,
    waitingFor: string | null,
  ): void {
    const { exec, env } = this.#context
    const child = exec.start(program!, args, {
      env: {
        ...env,
        AGENC_MISSION_UUID: mission.id,
        AGENC_MISSION_NAME: displayName(mission),
        AGENC_MISSION_REPO: mission.repo ?? '',
        AGENC_MISSION_STATE: state,
        AGENC_MISSION_WAITING_FOR: waitingFor ?? '',
      },
      stdio: 'ignore',
      detached: true,
    })
    child.on('error', () => {})
    child.unref()
  }

  /** The mission does not run here (any more): whoever looks for it must not find an error that waits to be read. */
  giveUp(): void {
    this.#tmux.ask(...forget(this.#pane))
  }

  /** What is left to do before the window closes with its program. */
  leave({ isStopped }: { isStopped: boolean }): void {
    const { paths, now } = this.#context
    if (isStopped && wasJustClosed(paths, now())) return
    const parent = isStopped ? undefined : this.#context.env.AGENC_PARENT_WINDOW
    const answer = this.#tmux.ask(
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
    if (isLast) sendBack(this.#tmux, clients)
    if (window && Number(panes) > 1) this.#tmux.ask(...forget(window))
    if (parent && this.#returns(isActive === '1')) this.#tmux.ask(['select-window', '-t', parent])
  }

  #returns(isActive: boolean): boolean {
    const { return_to_parent: policy } = this.#config.tmux
    return policy === 'always' || (policy === 'when-focused' && isActive)
  }
}

function isSame(before: ShownState, next: ShownState): boolean {
  return (
    before.state === next.state &&
    before.waitingFor === next.waitingFor &&
    Boolean(before.isHandled) === Boolean(next.isHandled)
  )
}

function callsForUser({ state, isHandled }: ShownState): boolean {
  return state === 'waiting' && !isHandled
}
