import type { Report } from '../claude/agent-report.ts'
import { limitEndIn } from '../claude/transcript.ts'
import type { MissionService } from '../mission/service.ts'
import type { MissionId } from '../mission-id.ts'
import type { Log } from './log.ts'

/** Claude's word for a turn that its usage limit has ended. */
export const limitReached = 'rate_limit'

/** The transcript may tell a little later than the report. */
const looksMs = [0, 50, 150, 500, 1_500, 4_000]

/** Keeps in the store when Claude's usage limit ends, until a turn succeeds. */
export class UsageLimit {
  readonly #missions: MissionService
  readonly #id: MissionId
  readonly #now: () => Date
  readonly #log: Log
  #timer: NodeJS.Timeout | undefined

  constructor(missions: MissionService, id: MissionId, now: () => Date, log: Log) {
    this.#missions = missions
    this.#id = id
    this.#now = now
    this.#log = log
  }

  see(report: Report): void {
    if (report.kind !== 'turn-ended' || report.agentId !== null) return
    this.close()
    if (report.failure === null) this.#store(null)
    else if (report.failure === limitReached && report.transcriptPath !== null)
      this.#look(report.transcriptPath, 0)
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #look(transcript: string, look: number): void {
    const end = limitEndIn(transcript)
    // An older line tells of a limit that has ended.
    if (end !== null && end > this.#now()) this.#store(end.toISOString())
    else if (look + 1 < looksMs.length)
      this.#timer = setTimeout(() => this.#look(transcript, look + 1), looksMs[look + 1])
  }

  #store(resets_at: string | null): void {
    try {
      if (this.#missions.get(this.#id)?.resets_at === resets_at) return
      this.#missions.change(this.#id, { resets_at }, ['limit', { resets_at }])
    } catch (error) {
      this.#log(`the end of the usage limit could not be stored: ${String(error)}`)
    }
  }
}
