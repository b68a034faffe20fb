import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Follower, Launch, TurnResult } from '../claude/agent.ts'
import { isSlashCommand } from '../claude/typed-prompt.ts'
import { setPatience } from '../db/open-store.ts'
import { AgencError } from '../errors.ts'
import { removeFile } from '../io/files.ts'
import { wakeFollowers } from '../mission/followers.ts'
import type { ProcessIdentity } from '../system/process-identity.ts'
import { listTree, signalProcesses, waitUntilGone } from '../system/process-tree.ts'
import { type EndingSignal, endingSignals } from '../system/signals.ts'
import { decideEnding, type Ending } from './ending.ts'
import type { Observer } from './report-observer.ts'
import type { Run } from './run-mission.ts'
import { onEndingSignal, type Phase } from './signal-policy.ts'

export interface Supervision {
  launch: Launch
  observer: Observer
  graceMs: number
  wantsRestart: () => boolean
  /** Called before Claude is asked to end. */
  releaseHooks: () => void
  /** Called right after the start, before any report is read. */
  onStarted: () => void
  /** Called once Claude is followed. `end` ends it: first its turn, then Claude itself. */
  onFollowed: (follower: Follower, end: () => void) => void
  /** Called when a turn of a Claude without a terminal has ended. */
  onResult: (result: TurnResult) => void
}

/** Runs one Claude from start to end. */
export async function superviseClaude(run: Run, supervision: Supervision): Promise<Ending> {
  const { signals, surface, log } = run
  // Node delivers a signal that arrived while this process was busy in the next turn of the event loop.
  await new Promise(resolve => setImmediate(resolve))
  if (signals.received !== null) return endingBeforeStart(run, signals.received)
  const startedMs = Date.now()
  const { code, signal, wasAsked, wasKilled, isOwnWill } = await new Claude(run, supervision).end
  const ranMs = Date.now() - startedMs
  // A terminal that closes signals its whole process group, and Claude's exit may be reported first.
  if (!wasAsked && endingSignals.some(name => name === signal)) await signals.arrivesWithin(ownSignalMs)
  log(`claude ended: code ${code}, signal ${signal}, after ${signals.received ?? 'no signal'}`)
  return decideEnding({
    code,
    signal: wasKilled ? 'SIGKILL' : signal,
    received: signals.received,
    isOwnWill,
    ranMs,
    wasTakenAway: () => surface.wasTakenAway(),
  })
}

export function endingBeforeStart({ surface }: Run, received: EndingSignal): Promise<Ending> {
  return decideEnding({
    code: null,
    signal: received,
    received,
    ranMs: 0,
    wasTakenAway: () => surface.wasTakenAway(),
  })
}

interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  /** True if this wrapper sent Claude a signal. */
  wasAsked: boolean
  wasKilled: boolean
  isOwnWill: boolean
}

/** How long a Claude with a direct line may take to end by itself, before it gets a signal. */
const politeMs = 2_500
/** How long a write may wait for the store once Claude has ended. */
const lastWritesMs = 1_000
/** How long Claude's tools may take to end after Claude itself. */
const familyMs = 1_000
/** How much later than Claude the wrapper may receive a signal that was sent to both. */
const ownSignalMs = 1_000
/** How long the user's own hooks may delay the first prompt. A prompt that is a /command is never reported. */
const promptMs = 60_000
/** Claude reads its trust list while it starts. These are the times at which we check that our entry is still there. */
const trustChecksMs = [50, 150, 300, 500, 800, 1_200]

class Claude {
  readonly end: Promise<Exit>
  readonly #run: Run
  readonly #supervision: Supervision
  readonly #child: ChildProcess
  readonly #identity: ProcessIdentity | null
  readonly #follower: Follower
  #phase: Phase = 'running'
  #wasAsked = false
  #wasKilled = false
  #isOwnWill = false
  #politeTimer: NodeJS.Timeout | null = null
  #family: ProcessIdentity[] = []
  #graceTimer: NodeJS.Timeout | null = null
  #promptTimer: NodeJS.Timeout | null = null

  constructor(run: Run, supervision: Supervision) {
    this.#run = run
    this.#supervision = supervision
    const { agent, signals, probe, surface } = run
    const { observer, onStarted, onFollowed } = supervision
    this.#child = this.#spawn()
    surface.onStarted(this.#child)
    this.#identity = probe.identify(this.#child.pid ?? 0)
    // If its pid cannot be stored or its reports cannot be read, this Claude must not run.
    try {
      this.#storeIdentity()
      onStarted()
    } catch (error) {
      this.#child.kill('SIGKILL')
      throw error
    }
    this.#follower = agent.follow(this.#child, {
      onStatus: status => observer.seeStatus(status),
      onReport: (report, channel) => observer.seeReport(report, channel),
      onResult: result => this.#onResult(result),
      onUsageLimit: resetsAt => observer.seeUsageLimit(resetsAt),
      isActive: () => observer.claude.state !== 'idle',
    })
    this.end = this.#untilEnd()
    onFollowed(this.#follower, () => this.#endByOwnWill())
    signals.listen(signal => this.#onSignal(signal))
    observer.onReport = () => this.#onReport()
    if (!surface.hasShellBelow) process.on('SIGTSTP', this.#continue)
    this.#confirmTrust()
  }

  #spawn(): ChildProcess {
    const { context, surface } = this.#run
    const { launch } = this.#supervision
    const hasPrompt = existsSync(this.#promptPath)
    const { stdio, close } = surface.openStdio(hasPrompt ? this.#promptPath : null)
    try {
      if (hasPrompt) this.#markCommand()
      return context.exec.start(launch.program, launch.args, {
        cwd: launch.directory,
        env: launch.env,
        stdio,
      })
    } finally {
      close()
    }
  }

  /** Comes before the start: a /command that Claude may have run must not be given again, even after a crash. */
  #markCommand(): void {
    const { prompt, commandGiven } = this.#run.context.paths.mission(this.#run.id)
    if (isSlashCommand(readFileSync(prompt, 'utf8'))) writeFileSync(commandGiven, '', { mode: 0o600 })
  }

  get #promptPath(): string {
    return this.#run.context.paths.mission(this.#run.id).prompt
  }

  #storeIdentity(): void {
    const { pid = null, start = null } = this.#identity ?? {}
    this.#run.missions.change(this.#run.id, { claude_pid: pid, claude_start: start })
  }

  async #untilEnd(): Promise<Exit> {
    const exit = await new Promise<Pick<Exit, 'code' | 'signal'>>((resolve, reject) => {
      this.#child.on('error', error => {
        this.#forgetCommand()
        reject(notStarted(this.#supervision.launch.program, error))
      })
      this.#child.on('exit', (code, signal) => resolve({ code, signal }))
    }).finally(() => this.#finish())
    if (exit.signal !== null && !this.#wasAsked) this.#endLeftTools()
    await this.#endFamily()
    this.#supervision.observer.readSpool()
    const { hasOpened, promptTaken } = this.#supervision.observer.claude
    this.#dropPrompt(promptTaken || (exit.signal === null && hasOpened && !this.#wasAsked))
    if (!hasOpened) this.#forgetCommand()
    return { ...exit, wasAsked: this.#wasAsked, wasKilled: this.#wasKilled, isOwnWill: this.#isOwnWill }
  }

  #finish(): void {
    this.#phase = 'over'
    // A mission must not look as if it were running while its wrapper waits for the store. What cannot be stored now is
    // in the spool or in the note.
    setPatience(this.#run.db, lastWritesMs)
    // After a signal this process ends too, and that closes everything.
    if (this.#run.signals.received === null) this.#close()
  }

  #close(): void {
    if (this.#graceTimer) clearTimeout(this.#graceTimer)
    if (this.#politeTimer) clearTimeout(this.#politeTimer)
    if (this.#promptTimer) clearTimeout(this.#promptTimer)
    this.#follower.close()
    this.#supervision.observer.onReport = () => {}
    process.off('SIGTSTP', this.#continue)
  }

  #onSignal(signal: EndingSignal): void {
    const action = onEndingSignal(this.#phase)
    this.#run.log(`${signal}: ${action}`)
    if (action === 'forward') this.#endWith(signal)
  }

  #endByOwnWill(): void {
    if (this.#phase !== 'running') return
    this.#isOwnWill = true
    this.#endWith('SIGTERM')
  }

  #endWith(signal: NodeJS.Signals): void {
    const { releaseHooks, graceMs } = this.#supervision
    const { probe } = this.#run
    this.#phase = 'ending'
    this.#wasAsked = true
    releaseHooks()
    this.#family = this.#listFamily()
    const { line } = this.#follower
    if (line === null) this.#child.kill(signal)
    else {
      // A signal would lose what Claude is just saying.
      line.end()
      this.#politeTimer = setTimeout(() => this.#child.kill(signal), Math.min(politeMs, graceMs / 2))
    }
    if (this.#identity !== null && probe.isSuspended(this.#identity.pid)) this.#child.kill('SIGCONT')
    this.#graceTimer = setTimeout(() => this.#kill(), graceMs)
  }

  /** Claude's tools run in sessions of their own, so they are listed before the signal and checked again here. */
  #kill(): void {
    if (this.#phase === 'over') return
    this.#wasKilled = true
    this.#family.push(...this.#listFamily())
    this.#child.kill('SIGKILL')
    signalProcesses(this.#run.probe, this.#family, 'SIGKILL')
  }

  #listFamily(): ProcessIdentity[] {
    const { context, probe } = this.#run
    return this.#identity === null ? [] : listTree(context.exec, probe, this.#identity.pid).slice(1)
  }

  /** A Claude that was killed, as by the kernel when memory runs out, could not end its tools. */
  #endLeftTools(): void {
    const { agent, probe } = this.#run
    this.#family = probe.identifyAll(agent.leftTools(this.#child.pid ?? 0))
    signalProcesses(probe, this.#family, 'SIGTERM')
  }

  /** Claude ends its tools itself. Tools that are still running after a while are killed. */
  async #endFamily(): Promise<void> {
    const { graceMs } = this.#supervision
    const { probe } = this.#run
    if (this.#family.length === 0) return
    if (!this.#wasKilled && (await waitUntilGone(probe, this.#family, Math.min(graceMs, familyMs)))) return
    signalProcesses(probe, this.#family, 'SIGKILL')
    await waitUntilGone(probe, this.#family, familyMs)
  }

  /** A /command reports nothing but its result. */
  #onResult(result: TurnResult): void {
    this.#dropPrompt(true)
    this.#supervision.onResult(result)
  }

  #onReport(): void {
    const { observer, wantsRestart } = this.#supervision
    const { state, background, hasOpened, promptTaken } = observer.claude
    this.#follower.refresh()
    this.#dropPrompt(promptTaken)
    if (hasOpened) this.#promptTimer ??= setTimeout(() => this.#onPromptTimeout(), promptMs).unref()
    const isAtRest = state === 'idle' && !background && this.#phase === 'running'
    // Claude is also idle for a moment before it takes its first prompt.
    if (wantsRestart() && isAtRest && !existsSync(this.#promptPath)) this.#endWith('SIGTERM')
  }

  #onPromptTimeout(): void {
    this.#dropPrompt(true)
    wakeFollowers(this.#run.context.paths)
    this.#onReport()
  }

  /** Deletes the prompt once Claude has taken it. A failed start must not lose it, and a later start must not repeat it. */
  #dropPrompt(isTaken: boolean): void {
    if (!isTaken) return
    const { context, id } = this.#run
    removeFile(this.#promptPath)
    removeFile(context.paths.mission(id).promptTaken)
    this.#forgetCommand()
  }

  #forgetCommand(): void {
    removeFile(this.#run.context.paths.mission(this.#run.id).commandGiven)
  }

  /** Undoes Ctrl-Z in a window without a shell, where `fg` is impossible. Under a shell both stay suspended. */
  readonly #continue = () => void this.#child.kill('SIGCONT')

  /** If another Claude cannot get the lock, it writes its config without it, and our entry may be lost. */
  #confirmTrust(): void {
    const { launch, observer } = this.#supervision
    for (const delayMs of trustChecksMs) {
      setTimeout(() => {
        if (this.#phase === 'running' && !observer.claude.hasOpened)
          void launch.confirmTrust().catch(error => this.#run.log(String(error)))
      }, delayMs).unref()
    }
  }
}

function notStarted(claude: string, error: Error): AgencError {
  return new AgencError(
    `${claude} could not be started: ${error.message}`,
    "Check the setting with 'agenc config get claude.command'.",
  )
}
