import type { ChildProcess } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { isatty } from 'node:tty'
import { claudeLocations } from '../claude/claude-locations.ts'
import type { Launch } from '../claude/prepare-launch.ts'
import { StatusWatch } from '../claude/status-watch.ts'
import type { Context } from '../context.ts'
import { updateMission } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError } from '../errors.ts'
import { removeFile } from '../io/files.ts'
import type { MissionId } from '../mission-id.ts'
import { terminalWasTaken } from '../surface/hangup.ts'
import { hasOwnTerminal } from '../surface/terminal.ts'
import type { ProcessIdentity, ProcessProbe } from '../system/process-identity.ts'
import { listTree, signalProcesses, waitUntilGone } from '../system/process-tree.ts'
import type { Ending } from './lease.ts'
import type { Log } from './log.ts'
import type { Observer } from './observer.ts'
import type { SignalListener } from './signal-listener.ts'
import { type EndingSignal, endingSignals, onEndingSignal, type Phase } from './signal-policy.ts'

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
  /** Before Claude is told to go: it waits for hooks that wait for us. */
  releaseHooks: () => void
  /** At once after its start, before anything of it is heard: nothing here keeps it waiting. */
  onStarted: () => void
}

/** One Claude from start to end. */
export async function superviseClaude(supervision: Supervision): Promise<Ending> {
  const { signals, context, probe, log } = supervision
  // What came while we were busy is heard in the next turn.
  await new Promise(resolve => setImmediate(resolve))
  if (signals.received !== null) return neverStarted(context, probe, signals.received)
  const { code, signal, wasAsked, wasKilled } = await new Claude(supervision).end
  // A terminal that closes signals its whole process group, and Claude's death may be heard first.
  if (!wasAsked && endingSignals.some(name => name === signal)) await signals.arrivesWithin(ownSignalMs)
  log(`claude ended: code ${code}, signal ${signal}, after ${signals.received ?? 'no signal'}`)
  return {
    code,
    signal: wasKilled ? 'SIGKILL' : signal,
    isLost: await isLoss(context, probe, signals.received, signal !== null),
  }
}

export async function neverStarted(
  context: Context,
  probe: ProcessProbe,
  signal: EndingSignal,
): Promise<Ending> {
  return { code: null, signal, isLost: await isLoss(context, probe, signal, false) }
}

/** Nobody's will: Claude was killed from elsewhere, or what it ran in was taken away. */
async function isLoss(
  context: Context,
  probe: ProcessProbe,
  received: EndingSignal | null,
  diedBySignal: boolean,
): Promise<boolean> {
  if (received === null) return diedBySignal
  return received === 'SIGHUP' && terminalWasTaken(context, probe)
}

interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  /** By this wrapper. */
  wasAsked: boolean
  wasKilled: boolean
}

const familyMs = 1_000
/** How much later than Claude the wrapper may hear of a signal that both were sent. */
const ownSignalMs = 1_000
/** How long the user's own hooks may hold up the prompt that Claude was started with; a /command tells of nothing. */
const promptMs = 60_000
/** While Claude starts it reads its trust list; these are the moments to look whether our entry is still there. */
const trustLooksMs = [50, 150, 300, 500, 800, 1_200]

class Claude {
  readonly end: Promise<Exit>
  readonly #supervision: Supervision
  readonly #child: ChildProcess
  readonly #identity: ProcessIdentity | null
  readonly #status: StatusWatch
  #phase: Phase = 'running'
  #wasAsked = false
  #wasKilled = false
  #family: ProcessIdentity[] = []
  #graceTimer: NodeJS.Timeout | null = null
  #promptTimer: NodeJS.Timeout | null = null

  constructor(supervision: Supervision) {
    this.#supervision = supervision
    const { observer, signals, probe, context, onStarted } = supervision
    this.#child = this.#spawn()
    const pid = this.#child.pid ?? 0
    this.#identity = probe.identify(pid)
    // A Claude that nobody could find again, or hear, must not be.
    try {
      this.#storeIdentity()
      onStarted()
    } catch (error) {
      this.#child.kill('SIGKILL')
      throw error
    }
    this.#status = new StatusWatch(
      claudeLocations(context.env).statusFile(pid),
      status => observer.seeStatus(status),
      () => observer.live.state !== 'idle',
    )
    this.end = this.#untilEnd()
    signals.listen(signal => this.#onSignal(signal))
    observer.onReport = () => this.#onReport()
    if (hasOwnTerminal()) process.on('SIGTSTP', this.#goOn)
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

  #storeIdentity(): void {
    const { db, id } = this.#supervision
    const { pid = null, start = null } = this.#identity ?? {}
    updateMission(db, id, { claude_pid: pid, claude_start: start })
  }

  async #untilEnd(): Promise<Exit> {
    const exit = await new Promise<Pick<Exit, 'code' | 'signal'>>((resolve, reject) => {
      this.#child.on('error', error => reject(notStarted(this.#supervision.launch.claude, error)))
      this.#child.on('exit', (code, signal) => resolve({ code, signal }))
    }).finally(() => this.#finish())
    await this.#endFamily()
    this.#supervision.observer.readSpool()
    const { hasOpened, promptTaken } = this.#supervision.observer.live
    this.#dropPrompt(promptTaken || (exit.signal === null && hasOpened && !this.#wasAsked))
    return { ...exit, wasAsked: this.#wasAsked, wasKilled: this.#wasKilled }
  }

  #finish(): void {
    this.#phase = 'over'
    // After a signal this process ends as well, and everything with it.
    if (this.#supervision.signals.received === null) this.#close()
  }

  #close(): void {
    if (this.#graceTimer) clearTimeout(this.#graceTimer)
    if (this.#promptTimer) clearTimeout(this.#promptTimer)
    this.#status.close()
    this.#supervision.observer.onReport = () => {}
    process.off('SIGTSTP', this.#goOn)
  }

  #onSignal(signal: EndingSignal): void {
    const action = onEndingSignal(this.#phase)
    this.#supervision.log(`${signal}: ${action}`)
    if (action === 'forward') this.#endWith(signal)
  }

  #endWith(signal: NodeJS.Signals): void {
    const { releaseHooks, probe, graceMs } = this.#supervision
    this.#phase = 'ending'
    this.#wasAsked = true
    releaseHooks()
    this.#family = this.#listFamily()
    this.#child.kill(signal)
    if (this.#identity !== null && probe.isSuspended(this.#identity.pid)) this.#child.kill('SIGCONT')
    this.#graceTimer = setTimeout(() => this.#kill(), graceMs)
  }

  /** Claude's tools run in sessions of their own: they are listed before, and checked again at the kill. */
  #kill(): void {
    if (this.#phase === 'over') return
    this.#wasKilled = true
    this.#family.push(...this.#listFamily())
    this.#child.kill('SIGKILL')
    signalProcesses(this.#supervision.probe, this.#family, 'SIGKILL')
  }

  #listFamily(): ProcessIdentity[] {
    const { context, probe } = this.#supervision
    return this.#identity === null ? [] : listTree(context.exec, probe, this.#identity.pid).slice(1)
  }

  /** Claude ends its tools itself; whoever is still there had its time. */
  async #endFamily(): Promise<void> {
    const { probe, graceMs } = this.#supervision
    if (this.#family.length === 0) return
    if (!this.#wasKilled && (await waitUntilGone(probe, this.#family, Math.min(graceMs, familyMs)))) return
    signalProcesses(probe, this.#family, 'SIGKILL')
    await waitUntilGone(probe, this.#family, familyMs)
  }

  #onReport(): void {
    const { context, id, observer, wantsRestart } = this.#supervision
    const { state, background, hasOpened, promptTaken } = observer.live
    this.#status.refresh()
    this.#dropPrompt(promptTaken)
    if (hasOpened) this.#promptTimer ??= setTimeout(() => this.#endPromptsTime(), promptMs).unref()
    const isAtRest = state === 'idle' && !background && this.#phase === 'running'
    // At rest it also is for a moment before it takes the prompt that it was started with.
    if (wantsRestart() && isAtRest && !existsSync(context.paths.mission(id).prompt)) this.#endWith('SIGTERM')
  }

  #endPromptsTime(): void {
    this.#dropPrompt(true)
    this.#onReport()
  }

  /** Kept until Claude has it, so that a failed start loses nothing, and a second one says nothing twice. */
  #dropPrompt(isTaken: boolean): void {
    const { context, id } = this.#supervision
    if (isTaken) removeFile(context.paths.mission(id).prompt)
  }

  /** After Ctrl-Z, alone in its window, where nobody could type `fg`. Under a shell both stay suspended. */
  readonly #goOn = () => void this.#child.kill('SIGCONT')

  /** A Claude that could not get the lock writes its config without it, and our entry may be lost. */
  #confirmTrust(): void {
    const { launch, observer, log } = this.#supervision
    for (const delayMs of trustLooksMs) {
      setTimeout(() => {
        if (this.#phase === 'running' && !observer.live.hasOpened)
          void launch.confirmTrust().catch(error => log(String(error)))
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
