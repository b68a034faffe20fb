import type { Context } from '../context.ts'
import type { MissionRecord, State } from '../db/missions.ts'
import { isCancelled } from '../errors.ts'
import type { MissionChanged, MissionService } from '../mission/service.ts'
import type { CurrentSettings } from './current-settings.ts'
import type { Log } from './log.ts'

/** A repo where a checkpoint takes longer than this gets one per minute at most. A failed one says nothing about that. */
const slowMs = 2_000
const pauseMs = 60_000
/** How long the end of a mission waits for a checkpoint, and then for git to end. */
const graceMs = 500
const endMs = 500

/** Records the mission's files whenever Claude has finished a turn, one checkpoint at a time. */
export class Checkpointer {
  readonly #context: Context
  readonly #missions: MissionService
  readonly #record: () => MissionRecord
  readonly #settings: CurrentSettings
  readonly #log: Log
  readonly #stopping = new AbortController()
  #state: State | null = null
  #isDue = false
  #running: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  #notBeforeMs = 0

  constructor(
    context: Context,
    missions: MissionService,
    record: () => MissionRecord,
    settings: CurrentSettings,
    log: Log,
  ) {
    this.#context = context
    this.#missions = missions
    this.#record = record
    this.#settings = settings
    this.#log = log
  }

  /** Subscribe this to the mission service. */
  readonly onChanged = ({ change }: MissionChanged): void => {
    if (change.state === undefined) return
    const isTurnOver = change.state === 'idle' && (this.#state === 'busy' || this.#state === 'waiting')
    this.#state = change.state
    if (isTurnOver) this.#isDue = true
    this.#next()
  }

  /** A checkpoint that is not finished in time is dropped. The files themselves stay in the directory. */
  async close({ isHurried }: { isHurried: boolean }): Promise<void> {
    this.#isDue = false
    this.#clearTimer()
    if (this.#running === null) return
    await this.#untilOver(isHurried ? 0 : graceMs)
    this.#stopping.abort()
    await this.#untilOver(endMs)
  }

  async #untilOver(mostMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise<void>(resolve => {
      timer = setTimeout(resolve, mostMs)
    })
    await Promise.race([this.#running, patience])
    clearTimeout(timer)
  }

  #next(): void {
    if (!this.#isDue || this.#running !== null || this.#state !== 'idle') return
    this.#clearTimer()
    const waitMs = this.#notBeforeMs - performance.now()
    if (waitMs > 0) {
      this.#timer = setTimeout(() => this.#next(), waitMs)
      return
    }
    this.#isDue = false
    this.#running = this.#tryToRecord().finally(() => {
      this.#running = null
      this.#next()
    })
  }

  #clearTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  async #tryToRecord(): Promise<void> {
    const startMs = performance.now()
    let isSlow = false
    try {
      await this.#settings.refresh()
      const mission = this.#record()
      if (mission.repo === null || mission.dir !== null) return
      if (!this.#settings.latest.config.missions.checkpoints) return
      // Loaded now, because a wrapper must start fast and be small.
      const { recordCheckpoint } = await import('../git-work/checkpoint.ts')
      const { signal } = this.#stopping
      await recordCheckpoint(this.#context, this.#missions, mission, { signal, isLow: true })
      isSlow = performance.now() - startMs > slowMs
    } catch (error) {
      if (!isCancelled(error)) this.#log(`no checkpoint: ${(error as Error).message}`)
    }
    if (isSlow) this.#notBeforeMs = startMs + pauseMs
    else await this.#tryToCompare()
  }

  /** Other missions may have changed the same files. */
  async #tryToCompare(): Promise<void> {
    const { signal } = this.#stopping
    try {
      const { updateConflicts } = await import('../git-work/conflicts.ts')
      if (signal.aborted) return
      await updateConflicts(this.#context, this.#missions, this.#record(), { signal, isLow: true })
    } catch (error) {
      if (!signal.aborted) this.#log(`conflicts are not known: ${(error as Error).message}`)
    }
  }
}
