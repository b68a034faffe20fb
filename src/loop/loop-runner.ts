import { claudeEnvironment } from '../claude/claude-environment.ts'
import type { Context } from '../context.ts'
import { listEvents } from '../db/events.ts'
import {
  getLoop,
  type LoopChange,
  type LoopRecord,
  type LoopStatus,
  type Round,
  updateLoop,
} from '../db/loops.ts'
import { getMessage } from '../db/messages.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { withStore } from '../db/with-store.ts'
import { AgencError, isCancelled } from '../errors.ts'
import { durationText } from '../io/duration.ts'
import { randomUuid } from '../io/random.ts'
import { untilChange } from '../mission/followers.ts'
import { missionDirectory } from '../mission/mission-directory.ts'
import type { ResultJson } from '../mission/mission-json.ts'
import { missionService } from '../mission/open-service.ts'
import { WrapperLives } from '../mission/wrapper-lives.ts'
import { portVariables } from '../system/port-block.ts'
import { ownIdentity, type ProcessIdentity, systemProbe } from '../system/process-identity.ts'
import { WakeupFifo } from '../system/wakeup-fifo.ts'
import { sendControlMessage } from '../wrapper/control-message.ts'
import { followTurn, limitEnd, resultOf, type TurnOutcome } from './follow-turn.ts'
import { changeLoop, takeLoop } from './loop-lease.ts'
import { loopLifeSign, loopLogPath, writeLog } from './loop-log.ts'
import { beginConversation, endTurn, ensureRunning, isRunning, missionOf } from './loop-mission.ts'
import { nextStep, type Step } from './next-step.ts'
import { refuseLoop } from './refuse-loop.ts'
import { howItFailed, promptOf, untilInWords } from './round-prompt.ts'
import { endLeftCheck, runCheck } from './run-check.ts'
import { changesBetween, workState } from './work-state.ts'

/** Runs a loop until it ends. `from` is the process that has started this one for it. */
export async function runLoop(context: Context, id: string, from: ProcessIdentity | null): Promise<void> {
  const own = ownIdentity(systemProbe(context.exec))
  const loop = await withStore(context, async db => {
    const known = getLoop(db, id)
    if (from === null && known) await refuseLoop(context, db, missionOf(db, known))
    return takeLoop(context, db, id, own, { from })
  })
  await new LoopRunner(context, loop).run()
}

type Ending = { status: Exclude<LoopStatus, 'running'>; reason: string }

/** Each step stores its outcome before the next one begins, so that another runner can go on after any of them. */
class LoopRunner {
  readonly #context: Context
  #loop: LoopRecord
  readonly #logPath: string
  readonly #abort = new AbortController()
  #cause: Ending | null = null
  /** Whether the check succeeded before the first round. */
  #firstCheck: boolean | null = null
  /** True until a step has seen the mission as another runner left it. */
  #isFirstLook = true

  constructor(context: Context, loop: LoopRecord) {
    this.#context = context
    this.#loop = loop
    this.#logPath = loopLogPath(context.paths, loop)
  }

  async run(): Promise<void> {
    const stop = () => this.#end({ status: 'stopped', reason: 'it was stopped' })
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, stop)
    process.on('SIGHUP', () => {})
    const { run_at, wish } = this.#loop
    const leftMs = Date.parse(run_at) + wish.timeout_ms - this.#context.now().getTime()
    const reason = `its time of ${durationText(wish.timeout_ms)} is up`
    const life = new WakeupFifo(this.#context.exec, loopLifeSign(this.#logPath))
    life.open()
    const timer = setTimeout(() => this.#end({ status: 'timeout', reason }), Math.max(0, leftMs))
    try {
      await this.#finish(await this.#steps())
    } finally {
      clearTimeout(timer)
      life.close()
    }
  }

  #end(cause: Ending): void {
    this.#cause ??= cause
    this.#abort.abort()
  }

  async #steps(): Promise<Ending> {
    try {
      this.#endLeftCheck()
      for (;;) {
        if (this.#abort.signal.aborted) return this.#cause!
        const step = nextStep(this.#loop, this.#firstCheck, this.#context.now())
        if (step.kind === 'end') return step
        await this.#do(step)
        this.#isFirstLook = false
      }
    } catch (error) {
      if (this.#cause !== null) return this.#cause
      if (isCancelled(error)) return { status: 'stopped', reason: 'it was stopped' }
      return { status: 'failed', reason: error instanceof Error ? error.message : String(error) }
    }
  }

  #do(step: Exclude<Step, { kind: 'end' }>): Promise<void> {
    switch (step.kind) {
      case 'first-check':
        return this.#checkFirst()
      case 'new-round':
        return this.#beginRound(step.n)
      case 'prompt':
        return this.#givePrompt(step.round)
      case 'turn':
        return this.#followTurn(step.round)
      case 'check':
        return this.#checkRound(step.round)
    }
  }

  async #checkFirst(): Promise<void> {
    await this.#untilDirectory()
    this.#log('check before the first round')
    const { exit } = await this.#runCheck()
    this.#firstCheck = exit === 0
  }

  /** The wrapper of a new mission makes its working copy, and runs the setup of its repo, before Claude starts. */
  async #untilDirectory(): Promise<void> {
    const isReady = ({ copy_pending, setup_pending }: MissionRecord) =>
      copy_pending === null && setup_pending === 0
    if (isReady(await this.#read(db => missionOf(db, this.#loop)))) return
    await this.#read(db => ensureRunning(this.#context, db, this.#loop))
    let lives: WrapperLives | undefined
    const look = (db: Database | null, wake: () => void): true | undefined => {
      lives ??= new WrapperLives(this.#context, wake)
      const mission = missionOf(db!, this.#loop)
      if (isReady(mission)) return true
      if (lives.statusesOf([mission])[0] !== 'running') throw notStarted(mission)
    }
    try {
      await untilChange(this.#context, look, { signal: this.#abort.signal })
    } finally {
      lives?.close()
    }
  }

  async #beginRound(n: number): Promise<void> {
    await this.#untilDirectory()
    const mission = await this.#read(db => missionOf(db, this.#loop))
    const isNewConversation = this.#loop.wish.is_fresh && (n > 1 || mission.session_begun === 1)
    const round: Round = {
      n,
      started_at: this.#context.now().toISOString(),
      session_id: isNewConversation ? randomUuid() : null,
      before: await workState(this.#context, mission, this.#abort.signal),
      after: null,
      cost_before: isNewConversation ? 0 : (resultOf(mission)?.cost_usd ?? 0),
      since_event: await this.#read(db => listEvents(db, mission.id).at(-1)?.id ?? 0),
      message_id: null,
      turn: null,
      changes: null,
      cost_usd: null,
      check: null,
      ended_at: null,
    }
    await this.#withStore(db => this.#tell(db, { rounds: [...this.#loop.rounds, round] }, { round: n }))
    this.#log(`round ${n}`)
  }

  /** The prompt and its number in the round are stored together, so that it is never given twice. */
  async #givePrompt(round: Round): Promise<void> {
    const text = promptOf(this.#loop.wish, this.#loop.rounds.at(-2)?.check ?? null)
    await this.#withStore(async db => {
      const { session_id } = round
      if (session_id !== null) await beginConversation(this.#context, db, this.#loop, session_id)
      const rounds = this.#loop.rounds
      missionService(this.#context, db).write(writer => {
        const message_id = writer.addMessage({
          mission_id: this.#loop.mission_id,
          text,
          sent_as: 'user',
          from_id: null,
          is_command: 0,
          may_wait: 1,
        })
        this.#change(db, { rounds: [...rounds.slice(0, -1), { ...round, message_id }] })
      })
    })
  }

  async #followTurn(round: Round): Promise<void> {
    let outcome: TurnOutcome = { kind: 'not-begun' }
    const wasCut = this.#isFirstLook && (await this.#hasEnded(round))
    // A mission without a terminal ends by itself when it has nothing to do, perhaps just before it got the prompt.
    for (let hasStarted = false; outcome.kind === 'not-begun' && !hasStarted; ) {
      if (!wasCut) hasStarted = await this.#startAndWake()
      outcome = await followTurn(this.#context, this.#loop, round, this.#abort.signal)
    }
    const mission = await this.#read(db => missionOf(db, this.#loop))
    if (outcome.kind === 'not-begun') throw notStarted(mission)
    const { failure, result } = outcome
    const isCut = outcome.endedBy === 'ended' || outcome.endedBy === 'interrupted'
    const endedBy = wasCut && isCut ? 'cut' : outcome.endedBy
    const after = await workState(this.#context, mission, this.#abort.signal)
    const changes = await changesBetween(this.#context, mission, round.before, after)
    const turn = { ended_by: endedBy, failure }
    const resets_at =
      endedBy === 'limit' ? await limitEnd(this.#context, this.#loop, this.#abort.signal) : null
    await this.#changeRound(
      { ...round, turn, after, changes, cost_usd: costOf(round, result) },
      { resets_at },
    )
    if (mission.last_message !== null) this.#log(`Claude: ${mission.last_message}`)
  }

  /** Whether the mission has ended since Claude got the prompt. */
  #hasEnded(round: Round): Promise<boolean> {
    return this.#read(db => {
      const message = getMessage(db, round.message_id!)
      const isOpen =
        message?.status === 'kept' || message?.status === 'handed' || message?.status === 'queued'
      return !isOpen && !isRunning(this.#context, missionOf(db, this.#loop))
    })
  }

  /** Returns whether the mission had to be started. */
  async #startAndWake(): Promise<boolean> {
    const hasStarted = await this.#read(db => ensureRunning(this.#context, db, this.#loop))
    sendControlMessage(this.#context.paths.mission(this.#loop.mission_id), { agenc: 'deliver' })
    return hasStarted
  }

  async #checkRound(round: Round): Promise<void> {
    const check = await this.#runCheck()
    await this.#changeRound({ ...round, check, ended_at: this.#context.now().toISOString() })
  }

  async #runCheck() {
    const { wish } = this.#loop
    const mission = await this.#read(db => missionOf(db, this.#loop))
    this.#log(`check: ${untilInWords(wish)}`)
    const check = await withStore(this.#context, db =>
      runCheck(this.#context, {
        command: wish.until,
        directory: missionDirectory(this.#context.paths, mission),
        env: { ...claudeEnvironment(this.#context.env, mission.id), ...portVariables(mission.first_port) },
        logPath: this.#logPath,
        timeoutMs: wish.check_timeout_ms,
        signal: this.#abort.signal,
        onStarted: ({ pid, start }) => this.#change(db, { check_pid: pid, check_start: start }),
      }),
    )
    await this.#store({ check_pid: null, check_start: null })
    if (this.#abort.signal.aborted) throw new AgencError('the check was ended')
    this.#log(check.exit === 0 ? 'the check succeeded' : `the check failed ${howItFailed(check, wish)}`)
    return check
  }

  #endLeftCheck(): void {
    const { check_pid: pid, check_start: start } = this.#loop
    if (pid !== null && start !== null) endLeftCheck(this.#context, { pid, start })
  }

  /** The status comes last: whoever sees it finds the mission as the loop leaves it. */
  async #finish({ status, reason }: Ending): Promise<void> {
    this.#log(`${status}: ${reason}`)
    await this.#withStore(async db => {
      await endTurn(this.#context, db, this.#loop)
      const ended_at = this.#context.now().toISOString()
      this.#tell(db, { status, reason, ended_at, runner_pid: null, runner_start: null }, { status })
    })
  }

  /** Changes the loop, and adds to the history of its mission. */
  #tell(db: Database, change: LoopChange, event: Record<string, unknown>): void {
    const { id, mission_id } = this.#loop
    missionService(this.#context, db).write(writer => {
      updateLoop(db, id, change)
      writer.change(mission_id, {}, ['loop', { loop: id, ...event }])
    })
    this.#loop = getLoop(db, id)!
  }

  #changeRound(round: Round, change: LoopChange = {}): Promise<void> {
    return this.#store({ ...change, rounds: [...this.#loop.rounds.slice(0, -1), round] })
  }

  #store(change: LoopChange): Promise<void> {
    return this.#withStore(db => this.#change(db, change))
  }

  #change(db: Database, change: LoopChange): void {
    changeLoop(this.#context, db, this.#loop.id, change)
    this.#loop = getLoop(db, this.#loop.id)!
  }

  #withStore(work: (db: Database) => void | Promise<void>): Promise<void> {
    return withStore(this.#context, work)
  }

  #read<T>(look: (db: Database) => T | Promise<T>): Promise<T> {
    return withStore(this.#context, look)
  }

  #log(text: string): void {
    writeLog(this.#logPath, this.#context.now(), text)
  }
}

function notStarted(mission: MissionRecord): AgencError {
  const result = resultOf(mission)
  const why = result?.is_error && result.text ? `: ${result.text}` : ''
  return new AgencError(`the mission ended before Claude got the prompt${why}`)
}

/** Claude tells the cost of the whole conversation. */
function costOf({ cost_before }: Round, result: ResultJson | null): number | null {
  if (result?.cost_usd == null) return null
  return result.cost_usd >= cost_before ? result.cost_usd - cost_before : result.cost_usd
}
