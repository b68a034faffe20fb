import type { Context } from '../context.ts'
import { needsAnswer } from '../db/approvals.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { shortId } from '../mission-id.ts'
import { missionTitle, tell } from './tell-done.ts'

/** Claude's status shows a dialog already before its request is known, and still when a rule has answered it. */
export function needsUser(db: Database, { id, state, waiting_for }: MissionRecord): boolean {
  return state === 'waiting' && (waiting_for !== 'permission' || needsAnswer(db, id))
}

/** For a command that waits for a mission: tells a user at the terminal, once each time, that the mission waits for them. */
export class WaitingTeller {
  readonly #context: Context
  readonly #told = new Set<string>()

  constructor(context: Context) {
    this.#context = context
  }

  see(db: Database, mission: MissionRecord): void {
    const { id, waiting_since } = mission
    const time = `${id} ${waiting_since}`
    if (this.#told.has(time) || !needsUser(db, mission)) return
    this.#told.add(time)
    tell(
      this.#context,
      `${missionTitle(mission)} waits for you. Answer it with: agenc mission answer ${shortId(id)}`,
    )
  }
}
