import type { Live } from '../claude/claude-state.ts'
import type { MissionRecord } from '../db/mission-record.ts'
import type { MissionWindow } from '../surface/tmux-window.ts'
import type { Log } from './log.ts'
import type { Requests } from './requests.ts'

/** The status file may be quicker than the hook that tells whether a rule will answer. */
const hookMs = 300

/** Shows a mission's state in its window, and calls the user only for what no rule is about to answer. */
export class Showing {
  readonly #window: MissionWindow | null
  readonly #record: () => MissionRecord
  readonly #requests: () => Pick<Requests, 'hasOpen' | 'isHandled'>
  readonly #log: Log
  #live: Live | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(
    window: MissionWindow | null,
    record: () => MissionRecord,
    requests: () => Pick<Requests, 'hasOpen' | 'isHandled'>,
    log: Log,
  ) {
    this.#window = window
    this.#record = record
    this.#requests = requests
    this.#log = log
  }

  show(live: Live, isRenamed = false): void {
    this.#live = live
    const isEarly = live.waitingFor === 'permission' && !this.#requests().hasOpen
    this.#window?.show(this.#record(), { ...live, isHandled: isEarly || this.#requests().isHandled })
    if (isRenamed) this.#window?.rename(this.#record())
    if (isEarly) this.#timer ??= setTimeout(() => this.refresh(), hookMs)
  }

  /** Who answers may have changed while the state has not. */
  refresh(): void {
    this.close()
    try {
      if (this.#live)
        this.#window?.show(this.#record(), { ...this.#live, isHandled: this.#requests().isHandled })
    } catch (error) {
      this.#log(`not shown: ${String(error)}`)
    }
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }
}
