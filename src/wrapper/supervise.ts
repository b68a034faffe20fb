import type { ChildProcess } from 'node:child_process'
import { closeSync, openSync, rmSync } from 'node:fs'
import { isatty } from 'node:tty'
import { claudeLocations } from '../claude/locations.ts'
import type { Context } from '../context.ts'
import { updateMission } from '../db/missions.ts'
import type { Database } from '../db/open.ts'
import { AgencError } from '../errors.ts'
import type { MissionId } from '../mission/id.ts'
import type { ProcessIdentity, ProcessProbe } from '../process/identity.ts'
import { listTree, signalProcesses, waitUntilGone } from '../process/tree.ts'
import { socketOf } from '../tmux/server.ts'
import { tmuxAt } from '../tmux/tmux.ts'
import type { Ending } from './lease.ts'
import type { Log } from './log.ts'
import type { Observer } from './observer.ts'
import type { Launch } from './prepare.ts'
import { type EndingSignal, onEndingSignal, type Phase } from './signal-policy.ts'
import type { SignalListener } from './signals.ts'
import { StatusWatch } from './status-watch.ts'
import { hasOwnTerminal } from './terminal.ts'

export interface Supervision {
  context: Context
  db: Database
  id: MissionId
  launch: Launch
  observer: Observer
  signals: SignalListener
  probe: ProcessProbe
  log: Log
  graceMs: number
  wantsRestart: () => boolean
}

/** One Claude from start to end. */
export async function superviseClaude(supervision: Supervision): Promise<Ending> {
  const { signals, context } = supervision
  if (signals.received !== null) {
    return {
      code: null,
      signal: signals.received,
      isLost: signals.received === 'SIGHUP' && terminalWasTaken(context),
    }
  }
  const { code, signal, wasKilled, lostTerminal } = await new Claude(supervision).end
  supervision.log(`claude ended: code ${code}, signal ${signal}, after ${signals.received ?? 'no signal'}`)
  return {
    code,
    signal: wasKilled ? 'SIGKILL' : signal,
    isLost: signals.received === null ? signal !== null : lostTerminal,
  }
}

/** A hangup is somebody's wish when a window was closed, and a loss when the whole terminal or tmux went. */
function terminalWasTaken({ exec, env }: Context): boolean {
  if (isatty(0)) return false
  const socket = socketOf(env)
  return socket === null || tmuxAt(exec, env, socket).ask(['display-message', '-p', '']).kind !== 'ok'
}

interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  wasKilled: boolean
  lostTerminal: boolean
}

class Claude {
  readonly end: Promise<Exit>
  readonly #supervision: Supervision
  readonly #child: ChildProcess
  readonly #identity: ProcessIdentity | null
  readonly #status: StatusWatch
  #phase: Phase = 'running'
  #wasKilled = false
  #lostTerminal = false
  #family: ProcessIdentity[] = []
  #graceTimer: NodeJS.Timeout | null = null

  constructor(supervision: Supervision) {
    this.#supervision = supervision
    const { db, id, observer, signals, probe, context } = supervision
    this.#child = this.#spawn()
    const pid = this.#child.pid ?? 0
    this.#identity = probe.identify(pid)
    updateMission(db, id, { claude_pid: pid, claude_start: this.#identity?.start ?? null })
    this.#status = new StatusWatch(
      claudeLocations(context.env).statusFile(pid),
      status => observer.seeStatus(status),
      () => observer.live.state !== 'idle',
    )
    this.end = this.#untilEnd()
    signals.listen(signal => this.#onSignal(signal))
    observer.onChange = () => this.#onChange()
    this.#goOnAfterCtrlZ()
    this.#confirmTrust()
  }

  #spawn(): ChildProcess {
    const { context, id, launch } = this.#supervision
    const stdin = stdinFor(launch)
    const child = context.exec.start(launch.claude, launch.args, {
      cwd: context.paths.mission(id).agent,
      env: launch.env,
      stdio: [stdin, 'inherit', 'inherit'],
    })
    if (typeof stdin === 'number') closeSync(stdin)
    return child
  }

  async #untilEnd(): Promise<Exit> {
    const exit = await new Promise<Pick<Exit, 'code' | 'signal'>>((resolve, reject) => {
      this.#child.on('error', error => reject(notStarted(this.#supervision.launch.claude, error)))
      this.#child.on('exit', (code, signal) => resolve({ code, signal }))
    }).finally(() => this.#close())
    await this.#endFamily()
    this.#supervision.observer.readSpool()
    return { ...exit, wasKilled: this.#wasKilled, lostTerminal: this.#lostTerminal }
  }

  #close(): void {
    this.#phase = 'over'
    if (this.#graceTimer) clearTimeout(this.#graceTimer)
    this.#status.close()
    this.#supervision.observer.onChange = () => {}
    process.removeAllListeners('SIGTSTP')
  }

  #onSignal(signal: EndingSignal): void {
    const action = onEndingSignal(this.#phase)
    this.#supervision.log(`${signal}: ${action}`)
    if (action === 'forward') this.#endWith(signal)
    if (action === 'kill') this.#kill()
    if (signal === 'SIGHUP') this.#lostTerminal = terminalWasTaken(this.#supervision.context)
  }

  #endWith(signal: NodeJS.Signals): void {
    const { context, probe, graceMs } = this.#supervision
    this.#phase = 'ending'
    this.#family = listTree(context.exec, probe, this.#child.pid!).slice(1)
    this.#child.kill(signal)
    this.#graceTimer = setTimeout(() => this.#kill(), graceMs)
  }

  /** Claude's tools run in sessions of their own: they are listed before, and checked again at the kill. */
  #kill(): void {
    const { context, probe } = this.#supervision
    if (this.#phase === 'over' || this.#identity === null) return
    this.#wasKilled = true
    this.#family.push(...listTree(context.exec, probe, this.#identity.pid).slice(1))
    signalProcesses(probe, [this.#identity, ...this.#family], 'SIGKILL')
  }

  /** Claude ends its tools itself; whoever is still there had its time. */
  async #endFamily(): Promise<void> {
    const { probe, graceMs } = this.#supervision
    if (this.#family.length === 0) return
    if (!this.#wasKilled && (await waitUntilGone(probe, this.#family, Math.min(graceMs, 1000)))) return
    signalProcesses(probe, this.#family, 'SIGKILL')
  }

  #onChange(): void {
    const { context, id, observer, wantsRestart } = this.#supervision
    this.#status.refresh()
    if (observer.live.promptCount > 0) rmSync(context.paths.mission(id).prompt, { force: true })
    if (wantsRestart() && observer.live.state === 'idle' && this.#phase === 'running')
      this.#endWith('SIGTERM')
  }

  /** Alone in its window nobody could type `fg`; under a shell nothing is installed and both are suspended. */
  #goOnAfterCtrlZ(): void {
    if (hasOwnTerminal()) process.on('SIGTSTP', () => this.#child.kill('SIGCONT'))
  }

  /** A Claude that could not get the lock writes its config without it, and our entry may be lost. */
  #confirmTrust(): void {
    for (const delayMs of [50, 150, 400]) {
      setTimeout(() => {
        if (this.#phase === 'running' && this.#supervision.observer.live.state === 'starting') {
          void this.#supervision.launch.confirmTrust().catch(error => this.#supervision.log(String(error)))
        }
      }, delayMs).unref()
    }
  }
}

/** A prompt that came through our own stdin used it up: the keys then come from the terminal itself. */
function stdinFor({ stdinPath }: Launch): 'inherit' | number {
  if (stdinPath !== null) return openSync(stdinPath, 'r')
  return isatty(0) ? 'inherit' : openSync('/dev/tty', 'r+')
}

function notStarted(claude: string, error: Error): AgencError {
  return new AgencError(
    `${claude} could not be started: ${error.message}`,
    "Check it with 'agenc config get claude.command'.",
  )
}
