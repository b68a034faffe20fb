import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TurnResult } from '../claude/agent.ts'
import { startsInBypass } from '../claude/permission-mode.ts'
import { readConfig } from '../config/read.ts'
import type { Config } from '../config/schema.ts'
import { openMessages } from '../db/messages.ts'
import type { MissionRecord } from '../db/missions.ts'
import { setPatience } from '../db/open-store.ts'
import { getRepo } from '../db/repos.ts'
import { durationText, parseDuration } from '../io/duration.ts'
import { makePrivateDirectory, removeFile } from '../io/files.ts'
import { setAside } from '../io/set-aside.ts'
import { refuseUsersVoice } from '../mission/agent-rights.ts'
import { effectiveMode, effectiveModel } from '../mission/effective-settings.ts'
import { wakeFollowers } from '../mission/followers.ts'
import { guardedPlaces } from '../mission/guarded-places.ts'
import { limitsOf } from '../mission/headless-limits.ts'
import { keepLastMessage } from '../mission/last-message.ts'
import { missionDirectory } from '../mission/mission-directory.ts'
import type { ResultJson } from '../mission/mission-json.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import type { MissionPaths } from '../paths.ts'
import { portVariables } from '../system/port-block.ts'
import { WakeupFifo, wakeUp } from '../system/wakeup-fifo.ts'
import { ApprovalLog } from './approval-log.ts'
import { Checkpointer } from './checkpointer.ts'
import { stateAtStart } from './claude-state.ts'
import { type ControlMessage, ownBell, verdicts } from './control-message.ts'
import { CurrentSettings } from './current-settings.ts'
import type { Ending } from './ending.ts'
import { conversationOf, wasPromptTaken, withUsableSession } from './find-conversation.ts'
import { HeadlessLife } from './headless-life.ts'
import { Outbox } from './outbox.ts'
import { Requests } from './permission-requests.ts'
import { PreviewFile } from './preview-file.ts'
import { Observer } from './report-observer.ts'
import { failedResult } from './result-columns.ts'
import { RuleEngine } from './rule-engine.ts'
import type { Run } from './run-mission.ts'
import { StatePresenter } from './state-presenter.ts'
import { endingBeforeStart, superviseClaude } from './supervise.ts'
import { UsageLimit } from './usage-limit.ts'

/** The parts around a running Claude, in the order in which they depend on each other. */
interface Parts {
  rules: RuleEngine
  requests: Requests
  observer: Observer
  presenter: StatePresenter
  preview: PreviewFile
  wakeup: WakeupFifo
  lifeSign: WakeupFifo
  checkpointer: Checkpointer
  limit: UsageLimit
  outbox: Outbox
}

/** Runs the Claude of a mission, and starts it again after each request to restart. */
export class RestartLoop {
  readonly #run: Run
  #config: Config
  #observer: Observer | null = null
  #wantsRestart = false
  #life: HeadlessLife | null = null
  readonly #startedMs = performance.now()

  constructor(run: Run, config: Config) {
    this.#run = run
    this.#config = config
  }

  /** Retries after a failure to store. */
  tryAgain(): void {
    this.#observer?.tryAgain()
  }

  /** Resolves when Claude has ended and no restart is wanted. */
  async run(): Promise<Ending> {
    const { context, id, db, missions, log } = this.#run
    const { events, asks, wakeup: wakeupPath } = context.paths.mission(id)
    for (const directory of [events, asks]) makePrivateDirectory(directory)
    // Hooks that were killed could not remove their FIFOs.
    for (const name of readdirSync(asks)) setAside(dirname(asks), join(asks, name))
    removeFile(context.paths.mission(id).promptTaken)
    const parts = this.#wire()
    // The preview comes first: whoever sees the new state also finds its text.
    const { preview, presenter, checkpointer } = parts
    const unsubscribers = [preview.update, presenter.onChanged, checkpointer.onChanged].map(subscriber =>
      missions.subscribe(subscriber),
    )
    try {
      // A killed wrapper may have left events unread. Nobody waits for an answer to them any more. The prompt of this
      // start may be another one than theirs.
      parts.observer.onPromptTaken = taken => {
        if (isKeptPrompt(context.paths.mission(id), taken)) markPromptTaken(context.paths.mission(id))
      }
      parts.observer.readSpool()
      parts.requests.end()
      parts.outbox.end()
      parts.observer.onPromptTaken = () => markPromptTaken(context.paths.mission(id))
      this.#observer = parts.observer
      for (;;) {
        this.#wantsRestart = false
        const ending = await this.#runOnce(parts).finally(() => parts.outbox.end())
        parts.requests.end()
        if (!this.#wantsRestart || this.#run.signals.received !== null) return ending
        log(`restarting mission ${shortId(id)}`)
        setPatience(db)
        this.#config = await readConfig(context.paths)
      }
    } finally {
      for (const unsubscribe of unsubscribers) unsubscribe()
      presenter.close()
      parts.limit.close()
      preview.clear()
      this.#observer = null
      // The socket stays open until the process ends: closing it takes Node longer than the rest of the ending.
      parts.wakeup.onWakeup = () => {}
      // Without the FIFO, hooks leave no more events. Events that are not stored yet are read at the next start.
      setAside(dirname(wakeupPath), wakeupPath)
      await checkpointer.close({ isHurried: this.#run.signals.received !== null })
    }
  }

  #wire(): Parts {
    const { context, id, db, missions, agent, surface, log } = this.#run
    const { paths, now, exec } = context
    const own = paths.mission(id)
    const directory = missionDirectory(paths, this.#record())

    const settings = new CurrentSettings(paths, this.#config)
    const rules = new RuleEngine(db, this.#record(), paths, settings, guardedPlaces(context), log)
    const askTimeoutMs = surface.isHeadless ? limitsOf(this.#record()).ask_timeout_ms : null
    const approvals = new ApprovalLog(db, id, now, log, entry => missions.change(id, {}, entry))
    const requests = new Requests(rules, approvals, log, askTimeoutMs)
    const record = () => this.#record()
    const presenter = new StatePresenter(context, this.#config.notify, surface, requests, record, log)
    const observer = new Observer({
      missions,
      mission: this.#record(),
      agent,
      requests,
      events: own.events,
      now,
      log,
      whenReady: work => (rules.isReady ? work() : void rules.makeReady().then(work)),
    })
    const preview = new PreviewFile(own, directory, () => observer.claude, requests, log)
    const wakeup = new WakeupFifo(exec, own.wakeup)
    const lifeSign = new WakeupFifo(exec, own.lifeSign)
    const checkpointer = new Checkpointer(context, missions, record, settings, log)
    const limit = new UsageLimit(missions, id, now, log)
    const outbox = new Outbox(this.#run, () => observer.claude, requests)

    requests.onAnswered = () => observer.seeAnswer()
    requests.onHandedOver = () => {
      presenter.refresh()
      wakeFollowers(paths)
    }
    requests.onCertain = () => wakeFollowers(paths)
    requests.onStuck = () => outbox.interrupt()
    observer.onControlMessage = message => this.#onControlMessage(message, requests, outbox)
    observer.onHeard = (report, channel) => outbox.hear(report, channel)
    observer.onNews = () => {
      preview.update()
      outbox.look()
      this.#life?.refresh()
    }
    observer.onMessage = text => keepLastMessage(own, text)
    observer.onStored = report => limit.see(report)
    wakeup.onWakeup = () => {
      void this.#run.followStore()
      observer.onWakeup()
    }
    return { rules, requests, observer, presenter, preview, wakeup, lifeSign, checkpointer, limit, outbox }
  }

  #onControlMessage(message: ControlMessage, requests: Requests, outbox: Outbox): void {
    const { context, id, log } = this.#run
    if (message.agenc === 'restart') {
      this.#wantsRestart = true
      return
    }
    if (message.agenc === 'deliver') return void outbox.lookForNew()
    if (message.agenc === 'interrupt') return void outbox.interrupt()
    const bell = ownBell(context.paths.mission(id).run, message.bell)
    if (bell === null) {
      log(`refused an answer: ${JSON.stringify(message.bell.slice(0, 200))} is not a FIFO of this mission`)
      return
    }
    const isTaken = requests.answer(message.request, message)
    wakeUp(bell, isTaken ? verdicts.taken : verdicts.refused)
  }

  async #runOnce({ rules, observer, requests, wakeup, lifeSign, outbox }: Parts): Promise<Ending> {
    const { context, missions, agent, signals } = this.#run
    if (signals.received !== null) return endingBeforeStart(this.#run, signals.received)
    const mission = withUsableSession(missions, this.#record(), context.env)
    if (wasPromptTaken(mission, context)) forgetPrompt(context.paths.mission(mission.id))
    const { mode, source } = effectiveMode(mission, this.#config)
    const launch = await agent.prepare({
      missionId: mission.id,
      directory: missionDirectory(context.paths, mission),
      variables: portVariables(mission.first_port),
      conversation: conversationOf(mission, context.env),
      mode: source === 'claude' ? null : mode,
      model: effectiveModel(mission, this.#config),
      name: mission.name,
      isTrusted: this.#isTrusted(mission),
      config: this.#config.claude,
    })
    wakeup.open()
    // Never closed: the system does that when this process ends, however it ends.
    lifeSign.open()
    const ending = await superviseClaude(this.#run, {
      launch,
      observer,
      graceMs: this.#config.stop.grace_ms,
      wantsRestart: () => this.#wantsRestart,
      // Before it ends, Claude waits for its hooks, and those may wait for an answer from us.
      releaseHooks: () => requests.end(),
      onStarted: () => {
        observer.begin(mission, stateAtStart(mission, launch.asksForTrust))
        wakeup.listen()
        // Read the spool once now: events written before the FIFO was open caused no wake-up.
        observer.onWakeup()
      },
      onFollowed: (follower, end) => {
        this.#life = this.#lifeOf(observer, requests, outbox, end)
        outbox.begin({
          line: follower.line,
          inbox: () => follower.inbox?.() ?? null,
          startsInBypass: startsInBypass(mode, this.#config.claude.args),
          maySpeakAsUser: sender => sender === null || this.#maySpeakAsUser(sender),
          hasSubmitKeys: launch.hasSubmitKeys,
          catchUp: () => {
            const { isReady } = rules
            observer.onWakeup()
            return isReady
          },
        })
      },
      onResult: result => this.#seeResult(observer, result),
    })
    this.#endLife(observer)
    // On a full disk, Claude's report that it took the prompt is lost.
    if (wasPromptTaken(this.#record(), context)) removeFile(context.paths.mission(mission.id).prompt)
    return ending
  }

  /** Null on a terminal, where the user ends Claude. */
  #lifeOf(observer: Observer, requests: Requests, outbox: Outbox, end: () => void): HeadlessLife | null {
    const { context, id, db, surface, log } = this.#run
    if (!surface.isHeadless) return null
    const isAtRest = () => {
      const { state, background } = observer.claude
      if (state !== 'idle' || background || existsSync(context.paths.mission(id).prompt)) return false
      return openMessages(db, id).length === 0
    }
    const idleMs = parseDuration(this.#config.missions.headless_idle, 'missions.headless_idle')
    const { timeout_ms, ask_timeout_ms } = limitsOf(this.#record())
    const leftMs =
      timeout_ms === null ? null : Math.max(1, timeout_ms - (performance.now() - this.#startedMs))
    return new HeadlessLife({
      timeoutMs: leftMs,
      idleMs,
      isAtRest,
      askTimeoutMs: ask_timeout_ms,
      isStuck: () => observer.claude.state === 'waiting' && !requests.hasOpen,
      interrupt: () => outbox.interrupt(),
      end,
      log,
    })
  }

  #endLife(observer: Observer): void {
    const life = this.#life
    life?.close()
    this.#life = null
    if (!life?.wasCut) return
    const { result } = this.#record()
    const isTold = result !== null && (JSON.parse(result) as ResultJson).time_ran_out
    if (!isTold) observer.seeTimeout(this.#cutOff(failedResult('')))
  }

  /** If the time ran out, Claude itself only reports that its turn was interrupted. */
  #seeResult(observer: Observer, result: TurnResult): void {
    if (this.#life?.wasCut) observer.seeResult(this.#cutOff(result), { timeRanOut: true })
    else observer.seeResult(result)
  }

  #cutOff(result: TurnResult): TurnResult {
    const { timeout_ms } = limitsOf(this.#record())
    return { ...result, text: `The time ran out after ${durationText(timeout_ms ?? 0)}.`, isError: true }
  }

  #record(): MissionRecord {
    return this.#run.missions.get(this.#run.id)!
  }

  #maySpeakAsUser(sender: MissionId): boolean {
    const agent = this.#run.missions.get(sender)
    try {
      if (agent) refuseUsersVoice(agent, this.#record(), 'user', this.#config)
      return agent !== undefined
    } catch {
      return false
    }
  }

  /** A blank mission is trusted, because its own Claude wrote everything in it. A directory of the user is not blank. */
  #isTrusted({ repo, dir }: MissionRecord): boolean {
    if (repo === null) return dir === null
    return getRepo(this.#run.db, repo)?.trusted === 1
  }
}

function forgetPrompt({ prompt, promptTaken, commandGiven }: MissionPaths): void {
  removeFile(prompt)
  removeFile(promptTaken)
  removeFile(commandGiven)
}

function isKeptPrompt({ prompt }: MissionPaths, taken: string | null): boolean {
  if (!existsSync(prompt)) return false
  return taken === null || readFileSync(prompt, 'utf8').trim() === taken.trim()
}

/** Until the store shows that Claude works on the prompt, the file shows that it is not idle. */
function markPromptTaken({ prompt, promptTaken, commandGiven }: MissionPaths): void {
  if (existsSync(prompt)) renameSync(prompt, promptTaken)
  removeFile(commandGiven)
}
