import type { Context } from '../context.ts'
import { leaseHolder, type MissionRecord } from '../db/missions.ts'
import type { MissionId } from '../mission-id.ts'
import { formatIdentity } from '../system/process-identity.ts'
import { watchLife } from '../system/watch-life.ts'
import { heartbeatMs, type Status, statusesOf } from './mission-status.ts'

const firstPauseMs = 20

/** Calls `wake` when the wrapper of a mission has ended without a word, even by `kill -9` together with its guard. */
export class WrapperLives {
  readonly #context: Context
  readonly #wake: () => void
  readonly #watched = new Map<MissionId, { holder: string; close: () => void }>()
  #timer: NodeJS.Timeout | undefined
  #pauseMs = firstPauseMs

  constructor(context: Context, wake: () => void) {
    this.#context = context
    this.#wake = wake
  }

  /** The statuses of these missions now. From here on, the end of a running one is noticed. */
  statusesOf(missions: readonly MissionRecord[]): Status[] {
    // Watched before the processes are asked: the end of a process that is alive then cannot be missed.
    this.#watch(missions)
    const statuses = statusesOf(this.#context, missions)
    clearTimeout(this.#timer)
    if (missions.some(({ id }, index) => statuses[index] === 'running' && !this.#watched.has(id)))
      this.#wakeLater()
    return statuses
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const { close } of this.#watched.values()) close()
  }

  #watch(missions: readonly MissionRecord[]): void {
    const held = new Map(missions.map(mission => [mission.id, leaseHolder(mission)]))
    for (const [id, { holder, close }] of this.#watched) {
      const now = held.get(id)
      if (now && formatIdentity(now) === holder) continue
      close()
      this.#watched.delete(id)
    }
    for (const [id, holder] of held) {
      if (holder === null || this.#watched.has(id)) continue
      const life = watchLife(this.#context.paths.mission(id).lifeSign, () => {
        this.#watched.delete(id)
        this.#pauseMs = firstPauseMs
        this.#wake()
      })
      if (life) this.#watched.set(id, { holder: formatIdentity(holder), close: life.close })
    }
  }

  /**
   * For a process without a sign of life: it is about to end, has not started Claude yet, or was started by an older
   * agenc. Each pause is longer than the one before.
   */
  #wakeLater(): void {
    this.#timer = setTimeout(this.#wake, this.#pauseMs)
    this.#pauseMs = Math.min(this.#pauseMs * 2, heartbeatMs)
  }
}
