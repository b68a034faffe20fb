import { rmSync } from 'node:fs'
import { claudeLocations } from '../claude/locations.ts'
import { loadConfig } from '../config/file.ts'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { getMission, updateMission } from '../db/missions.ts'
import { type Database, openStore } from '../db/open.ts'
import { getRepo } from '../db/repos.ts'
import { type MissionId, shortId } from '../mission/id.ts'
import { repoConfig } from '../mission/permission.ts'
import type { MissionRecord } from '../mission/record.ts'
import { heartbeatMs } from '../mission/status.ts'
import { type ProcessProbe, systemProbe } from '../process/identity.ts'
import { endTree } from '../process/tree.ts'
import type { MissionWindow } from '../tmux/mission-window.ts'
import { runSetup } from '../workspace/setup.ts'
import { postGuard } from './guard.ts'
import { beat, type Ending, releaseLease, takeLease } from './lease.ts'
import { initialLive, type Live } from './live.ts'
import { openLog } from './log.ts'
import { Observer } from './observer.ts'
import { prepareLaunch } from './prepare.ts'
import { exitCodeFor } from './signal-policy.ts'
import { SignalListener } from './signals.ts'
import { listenToBell, spoolPaths } from './spool.ts'
import { superviseClaude } from './supervise.ts'
import { restoreTerminal } from './terminal.ts'

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
  window: MissionWindow | null,
): Promise<Outcome> {
  const signals = new SignalListener()
  const db = await openStore(context.paths.database)
  try {
    return await new Run(context, db, id, signals, window).start()
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
  readonly #config: Config
  readonly #window: MissionWindow | null

  constructor(
    context: Context,
    db: Database,
    id: MissionId,
    signals: SignalListener,
    window: MissionWindow | null,
  ) {
    this.#context = context
    this.#db = db
    this.#id = id
    this.#signals = signals
    this.#window = window
    this.#probe = systemProbe(context.exec)
    this.#config = loadConfig(context.paths.config)
  }

  async start(): Promise<Outcome> {
    const { now, exec, self, env } = this.#context
    const before = takeLease(this.#db, this.#id, this.#probe.identify(process.pid)!, this.#probe, now())
    const heart = setInterval(() => beat(this.#db, this.#id, now()), heartbeatMs)
    const dismissGuard = postGuard(exec, [...self, 'mission', '_reap', this.#id], env)
    let ending: Ending = { code: 1, signal: null, isLost: false }
    try {
      await this.#endLeftover(before)
      await this.#setUp(before)
      const startedMs = Date.now()
      ending = await this.#runClaude()
      const { received } = this.#signals
      return {
        exitCode: exitCodeFor(ending.code, ending.signal),
        failedEarly: ending.code !== 0 && received === null && Date.now() - startedMs < earlyMs,
        wasStopped: received === 'SIGTERM' || received === 'SIGINT',
      }
    } finally {
      clearInterval(heart)
      if (ending.signal !== null) restoreTerminal(exec)
      releaseLease(this.#db, this.#id, ending, now())
      dismissGuard()
    }
  }

  /** The last wrapper was killed and its Claude lives on: two of them must never share a conversation. */
  async #endLeftover({ claude_pid, claude_start }: MissionRecord): Promise<void> {
    if (claude_pid === null || claude_start === null) return
    const leftover = { pid: claude_pid, start: claude_start }
    await endTree(this.#context.exec, this.#probe, leftover, 'SIGHUP', this.#config.stop.grace_ms)
  }

  async #setUp(mission: MissionRecord): Promise<void> {
    const setup = repoConfig(mission.repo, this.#config)?.setup
    if (mission.setup_pending === 0 || setup === undefined) return
    await runSetup(this.#context, this.#context.paths.mission(this.#id), setup)
    updateMission(this.#db, this.#id, { setup_pending: 0 })
  }

  async #runClaude(): Promise<Ending> {
    const { context, log } = {
      context: this.#context,
      log: openLog(this.#paths.wrapperLog, this.#context.now),
    }
    const spool = spoolPaths(this.#paths.run)
    let wantsRestart = false
    const observer = new Observer(this.#liveFrom(this.#record()), {
      db: this.#db,
      id: this.#id,
      now: context.now,
      log,
      eventsDirectory: spool.events,
      plansDirectory: claudeLocations(context.env).plans,
      isWriting: pid => Number.isInteger(pid) && this.#probe.identify(pid) !== null,
      onControl: () => {
        wantsRestart = true
      },
      onStored: (live, isRenamed) => this.#showInWindow(live, isRenamed),
    })
    const silence = listenToBell(context.exec, spool, () => observer.readSpool())
    try {
      observer.readSpool()
      for (;;) {
        wantsRestart = false
        const launch = await prepareLaunch(context, this.#config, this.#record(), this.#isTrustedByUser())
        observer.live = initialLive(observer.live.sessionId, observer.live.sessionBegun, launch.asksForTrust)
        const ending = await superviseClaude({
          context,
          db: this.#db,
          id: this.#id,
          launch,
          observer,
          signals: this.#signals,
          probe: this.#probe,
          log,
          graceMs: this.#config.stop.grace_ms,
          wantsRestart: () => wantsRestart,
        })
        if (!wantsRestart || this.#signals.received !== null) return ending
        log(`restarting mission ${shortId(this.#id)}`)
      }
    } finally {
      silence()
      rmSync(spool.events, { recursive: true, force: true })
    }
  }

  #showInWindow(live: Live, isRenamed: boolean): void {
    const mission = this.#record()
    this.#window?.show(mission, live)
    if (isRenamed) this.#window?.rename(mission)
  }

  get #paths() {
    return this.#context.paths.mission(this.#id)
  }

  #record(): MissionRecord {
    return getMission(this.#db, this.#id)!
  }

  #liveFrom(mission: MissionRecord) {
    return initialLive(mission.session_id, mission.session_begun === 1, false)
  }

  /** A blank mission holds nothing but what its own Claude wrote. */
  #isTrustedByUser(): boolean {
    const { repo } = this.#record()
    return repo === null || getRepo(this.#db, repo)?.trusted === 1
  }
}
