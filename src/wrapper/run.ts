import { claudeLocations } from '../claude/locations.ts'
import { planDirectories } from '../claude/plans.ts'
import { preparedConfig } from '../config/prepared.ts'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { getMission } from '../db/missions.ts'
import { type Database, openStore } from '../db/open.ts'
import { getRepo } from '../db/repos.ts'
import { makePrivateDirectory } from '../io/files.ts'
import { type MissionId, shortId } from '../mission/id.ts'
import type { MissionRecord } from '../mission/record.ts'
import { heartbeatMs } from '../mission/status.ts'
import { type ProcessProbe, systemProbe } from '../process/identity.ts'
import type { MissionWindow } from '../tmux/mission-window.ts'
import { endLeftover, setUp } from './beginning.ts'
import { listenToBell, ringBell } from './bell.ts'
import { CurrentSettings } from './current-settings.ts'
import { postGuard } from './guard.ts'
import { Judge } from './judge.ts'
import { beat, type Ending, releaseLease, takeLease } from './lease.ts'
import { liveAtCrash, liveAtStart } from './live.ts'
import { type Log, openLog } from './log.ts'
import { Observer } from './observer.ts'
import { prepareLaunch } from './prepare.ts'
import { Register } from './register.ts'
import { Requests } from './requests.ts'
import { withUsableSession } from './session.ts'
import { Showing } from './showing.ts'
import { exitCodeFor } from './signal-policy.ts'
import { SignalListener } from './signals.ts'
import { removeSpool, type SpoolPaths, spoolPaths } from './spool.ts'
import { neverStarted, superviseClaude } from './supervise.ts'
import { hasOwnTerminal, restoreTerminal } from './terminal.ts'
import type { Word } from './word.ts'

export interface Outcome {
  exitCode: number
  /** Claude gave up at once: what it said should stay readable. */
  failedEarly: boolean
  /** Ended by a command, not by leaving: nobody is to be moved. */
  wasStopped: boolean
}

const earlyMs = 2_000

/** Runs one mission in this terminal until its Claude ends. */
export async function runMission(
  context: Context,
  id: MissionId,
  config: Config,
  window: MissionWindow | null,
): Promise<Outcome> {
  const signals = new SignalListener()
  const db = await openStore(context.paths.database)
  try {
    return await new Run(context, db, id, config, signals, window).start()
  } finally {
    db.close()
    signals.close()
  }
}

class Run {
  readonly #context: Context
  readonly #db: Database
  readonly #id: MissionId
  readonly #signals: SignalListener
  readonly #probe: ProcessProbe
  readonly #window: MissionWindow | null
  readonly #log: Log
  #config: Config
  #startedMs = 0

  constructor(
    context: Context,
    db: Database,
    id: MissionId,
    config: Config,
    signals: SignalListener,
    window: MissionWindow | null,
  ) {
    this.#context = context
    this.#db = db
    this.#id = id
    this.#signals = signals
    this.#window = window
    this.#probe = systemProbe(context.exec)
    this.#log = openLog(this.#paths.wrapperLog, context.now)
    this.#config = config
  }

  async start(): Promise<Outcome> {
    const { now, exec, self, env } = this.#context
    const before = takeLease(this.#db, this.#id, this.#probe.identify(process.pid)!, this.#probe, now())
    const heart = setInterval(() => this.#beat(), heartbeatMs)
    const guard = postGuard(exec, [...self, 'mission', '_reap', this.#id], env)
    let ending: Ending = { code: 1, signal: null, isLost: false }
    try {
      const beginning = { ...this.#shared, mission: before, config: this.#config, guardPid: guard.pid }
      await endLeftover(beginning)
      await setUp(beginning)
      ending = await this.#runClaude()
      return this.#outcome(ending)
    } finally {
      clearInterval(heart)
      if (ending.signal !== null && !this.#closesItsWindow) restoreTerminal(exec)
      releaseLease(this.#db, this.#id, ending, now())
      guard.dismiss()
    }
  }

  /** Then nobody will look at the terminal again. */
  get #closesItsWindow(): boolean {
    return this.#signals.received !== null && hasOwnTerminal()
  }

  #outcome({ code, signal }: Ending): Outcome {
    const { received } = this.#signals
    return {
      exitCode: exitCodeFor(code, signal),
      failedEarly: code !== 0 && received === null && Date.now() - this.#startedMs < earlyMs,
      wasStopped: received === 'SIGTERM' || received === 'SIGINT',
    }
  }

  /** A store that is busy for once costs a beat, not the mission. */
  #beat(): void {
    try {
      beat(this.#db, this.#id, this.#context.now())
    } catch (error) {
      this.#log(`no beat: ${(error as Error).message}`)
    }
  }

  async #runClaude(): Promise<Ending> {
    const spool = spoolPaths(this.#paths.run)
    for (const directory of [spool.events, spool.asks]) makePrivateDirectory(directory)
    let wantsRestart = false
    const showing = new Showing(
      this.#window,
      () => this.#record(),
      () => requests,
    )
    const judge = this.#judge(spool)
    const requests = this.#answerer(
      spool,
      judge,
      () => observer,
      () => showing.refresh(),
    )
    const observer = this.#observe(spool, requests, showing, word => {
      if (word.agenc === 'restart') wantsRestart = true
      else {
        requests.answer(word.request, word)
        ringBell(word.bell)
      }
    })
    const listening = listenToBell(this.#context.exec, spool.bell, () =>
      judge.isReady ? observer.readSpool() : void judge.makeReady().then(() => observer.readSpool()),
    )
    // Thrown where it is waited for.
    listening.catch(() => {})
    try {
      await judge.makeReady()
      observer.readSpool()
      requests.end()
      for (;;) {
        wantsRestart = false
        const ending = await this.#runOnce(observer, requests, listening, () => wantsRestart)
        requests.end()
        if (!wantsRestart || this.#signals.received !== null) return ending
        this.#log(`restarting mission ${shortId(this.#id)}`)
        this.#config = await preparedConfig(this.#context.paths)
      }
    } finally {
      showing.close()
      await listening.then(
        silence => silence(),
        () => {},
      )
      removeSpool(spool)
    }
  }

  async #runOnce(
    observer: Observer,
    requests: Requests,
    listening: Promise<unknown>,
    wantsRestart: () => boolean,
  ): Promise<Ending> {
    const { received } = this.#signals
    if (received !== null) return neverStarted(this.#context, this.#probe, received)
    const { env, now } = this.#context
    const mission = withUsableSession(this.#db, this.#record(), env, now())
    const launch = await prepareLaunch(this.#context, this.#config, mission, this.#isTrustedByUser())
    observer.begin(mission, liveAtStart(mission, launch.asksForTrust))
    await listening
    this.#startedMs = Date.now()
    const graceMs = this.#config.stop.grace_ms
    const releaseHooks = () => requests.end()
    return superviseClaude({ ...this.#shared, launch, observer, graceMs, wantsRestart, releaseHooks })
  }

  #observe(spool: SpoolPaths, requests: Requests, showing: Showing, onWord: (word: Word) => void): Observer {
    const mission = this.#record()
    const { env, now } = this.#context
    return new Observer(mission, liveAtCrash(mission), {
      ...this.#shared,
      now,
      eventsDirectory: spool.events,
      planDirectories: planDirectories(claudeLocations(env), this.#paths.agent),
      requests,
      onWord,
      onStored: (live, isRenamed) => showing.show(live, isRenamed),
    })
  }

  #judge({ undenied }: SpoolPaths): Judge {
    const { paths } = this.#context
    const settings = new CurrentSettings(paths, this.#config, undenied)
    return new Judge(this.#db, this.#id, paths, settings, this.#log)
  }

  #answerer(spool: SpoolPaths, judge: Judge, observer: () => Observer, onHandedOver: () => void): Requests {
    return new Requests({
      judge,
      register: new Register(this.#db, this.#id, this.#context.now, this.#log),
      log: this.#log,
      asksDirectory: spool.asks,
      onAnswered: () => observer().seeAnswer(),
      onHandedOver,
    })
  }

  /** What every part of the wrapper works with. */
  get #shared() {
    return {
      context: this.#context,
      db: this.#db,
      id: this.#id,
      signals: this.#signals,
      probe: this.#probe,
      log: this.#log,
    }
  }

  get #paths() {
    return this.#context.paths.mission(this.#id)
  }

  #record(): MissionRecord {
    return getMission(this.#db, this.#id)!
  }

  /** A blank mission holds nothing but what its own Claude wrote. */
  #isTrustedByUser(): boolean {
    const { repo } = this.#record()
    return repo === null || getRepo(this.#db, repo)?.trusted === 1
  }
}
