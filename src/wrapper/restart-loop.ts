import { claudeLocations } from '../claude/claude-locations.ts'
import { liveAtCrash, liveAtStart } from '../claude/claude-state.ts'
import { planDirectories } from '../claude/plan-directories.ts'
import { prepareLaunch } from '../claude/prepare-launch.ts'
import { readConfig } from '../config/read.ts'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/mission-record.ts'
import { getMission } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { getRepo } from '../db/repos.ts'
import { makePrivateDirectory, removeFile } from '../io/files.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import type { MissionWindow } from '../surface/tmux-window.ts'
import type { ProcessProbe } from '../system/process-identity.ts'
import { Register } from './approval-log.ts'
import type { Word } from './control-message.ts'
import { CurrentSettings } from './current-settings.ts'
import { withUsableSession } from './find-conversation.ts'
import type { Ending } from './lease.ts'
import type { Log } from './log.ts'
import { Observer } from './observer.ts'
import { Requests } from './requests.ts'
import { Judge } from './rule-engine.ts'
import type { SignalListener } from './signal-listener.ts'
import { type SpoolPaths, spoolPaths } from './spool.ts'
import { Showing } from './state-presenter.ts'
import { neverStarted, superviseClaude } from './supervise.ts'
import { Bell, ringBell } from './wakeup-fifo.ts'

/** What every part of the wrapper works with. */
export interface Shared {
  context: Context
  db: Database
  id: MissionId
  signals: SignalListener
  probe: ProcessProbe
  log: Log
}

/** The Claudes of one run of a mission: more than one, where somebody asks for a new start. */
export class ClaudeRuns {
  /** When the latest one was started. */
  startedMs = 0
  /** Whoever follows what they report, as long as there is one. */
  observer: Observer | null = null
  readonly #shared: Shared
  readonly #window: MissionWindow | null
  #config: Config

  constructor(shared: Shared, config: Config, window: MissionWindow | null) {
    this.#shared = shared
    this.#config = config
    this.#window = window
  }

  /** Until it ends and nobody wants it anew. */
  async run(): Promise<Ending> {
    const spool = spoolPaths(this.#paths.run)
    for (const directory of [spool.events, spool.asks]) makePrivateDirectory(directory)
    let wantsRestart = false
    let isOver = false
    const showing = new Showing(
      this.#window,
      () => this.#record(),
      () => requests,
      this.#shared.log,
    )
    const judge = this.#judge(spool)
    const requests = this.#answerer(
      spool,
      judge,
      () => observer,
      () => showing.refresh(),
    )
    const whenReady = (work: () => void) => (judge.isReady ? work() : void judge.makeReady().then(work))
    const observer = this.#observe(spool, requests, showing, whenReady, word => {
      if (word.agenc === 'restart') wantsRestart = true
      else {
        requests.answer(word.request, word)
        ringBell(word.bell)
      }
    })
    const bell = new Bell(this.#shared.context.exec, spool.bell, () => {
      if (!isOver) observer.hear()
    })
    try {
      await judge.makeReady()
      observer.readSpool()
      requests.end()
      this.observer = observer
      for (;;) {
        wantsRestart = false
        const ending = await this.#runOnce(observer, requests, bell, () => wantsRestart)
        requests.end()
        if (!wantsRestart || this.#shared.signals.received !== null) return ending
        this.#shared.log(`restarting mission ${shortId(this.#shared.id)}`)
        this.#config = await readConfig(this.#shared.context.paths)
      }
    } finally {
      showing.close()
      // The socket is left to the end of the process: to close it takes Node longer than all the rest of an ending.
      isOver = true
      this.observer = null
      // Without it no hook leaves anything; what is not stored yet is kept for the next start.
      removeFile(spool.bell)
    }
  }

  async #runOnce(
    observer: Observer,
    requests: Requests,
    bell: Bell,
    wantsRestart: () => boolean,
  ): Promise<Ending> {
    const { received } = this.#shared.signals
    if (received !== null) return neverStarted(this.#shared.context, this.#shared.probe, received)
    const { env, now } = this.#shared.context
    const mission = withUsableSession(this.#shared.db, this.#record(), env, now())
    const launch = await prepareLaunch(this.#shared.context, this.#config, mission, this.#isTrustedByUser())
    bell.open()
    this.startedMs = Date.now()
    const graceMs = this.#config.stop.grace_ms
    const releaseHooks = () => requests.end()
    const onStarted = () => {
      observer.begin(mission, liveAtStart(mission, launch.asksForTrust))
      bell.listen()
      // Who rang before it was open was not heard.
      observer.hear()
    }
    return superviseClaude({
      ...this.#shared,
      launch,
      observer,
      graceMs,
      wantsRestart,
      releaseHooks,
      onStarted,
    })
  }

  #observe(
    spool: SpoolPaths,
    requests: Requests,
    showing: Showing,
    whenReady: (work: () => void) => void,
    onWord: (word: Word) => void,
  ): Observer {
    const mission = this.#record()
    const { env, now } = this.#shared.context
    return new Observer(mission, liveAtCrash(mission), {
      ...this.#shared,
      now,
      eventsDirectory: spool.events,
      planDirectories: planDirectories(claudeLocations(env), this.#paths.agent),
      requests,
      whenReady,
      onWord,
      onStored: (live, isRenamed) => showing.show(live, isRenamed),
    })
  }

  #judge({ undenied }: SpoolPaths): Judge {
    const { paths } = this.#shared.context
    const settings = new CurrentSettings(paths, this.#config, undenied)
    return new Judge(this.#shared.db, this.#shared.id, paths, settings, this.#shared.log)
  }

  #answerer(spool: SpoolPaths, judge: Judge, observer: () => Observer, onHandedOver: () => void): Requests {
    return new Requests({
      judge,
      register: new Register(this.#shared.db, this.#shared.id, this.#shared.context.now, this.#shared.log),
      log: this.#shared.log,
      asksDirectory: spool.asks,
      onAnswered: () => observer().seeAnswer(),
      onHandedOver,
    })
  }

  get #paths() {
    return this.#shared.context.paths.mission(this.#shared.id)
  }

  #record(): MissionRecord {
    return getMission(this.#shared.db, this.#shared.id)!
  }

  /** A blank mission holds nothing but what its own Claude wrote. */
  #isTrustedByUser(): boolean {
    const { repo } = this.#record()
    return repo === null || getRepo(this.#shared.db, repo)?.trusted === 1
  }
}
