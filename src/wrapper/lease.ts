import { abandonRequests } from '../db/approvals.ts'
import { recordEvent } from '../db/events.ts'
import type { MissionRecord } from '../db/mission-record.ts'
import { getMission, type MissionChange, updateIfHeldBy, updateMission } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError } from '../errors.ts'
import { leaseHolder, statusOf } from '../mission/mission-status.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import type { ProcessIdentity, ProcessProbe } from '../system/process-identity.ts'

/** Somebody else runs this mission. */
function alreadyRunning({ id, wrapper_pid }: MissionRecord): AgencError {
  return new AgencError(
    `mission ${shortId(id)} is already running (process ${wrapper_pid})`,
    'Stop it there first.',
  )
}

/** Of any number of starters exactly one gets the mission. Returns it as it was before. */
export function takeLease(
  db: Database,
  id: MissionId,
  self: ProcessIdentity,
  probe: ProcessProbe,
  now: Date,
): MissionRecord {
  return db
    .transaction(() => {
      const mission = getMission(db, id)
      if (!mission) throw new AgencError(`there is no mission ${id}`, "Run 'agenc mission ls -a'.")
      const holder = leaseHolder(mission)
      const liveness = holder ? probe.liveness([holder])[0]! : null
      if (statusOf(mission, liveness, now) === 'running') throw alreadyRunning(mission)
      updateMission(db, id, {
        wrapper_pid: self.pid,
        wrapper_start: self.start,
        heartbeat_at: now.toISOString(),
        state: 'starting',
        waiting_for: null,
        waiting_since: null,
        background: 0,
        archived_at: null,
        ended_by: null,
      })
      abandonRequests(db, id)
      recordEvent(db, id, now.toISOString(), 'started', { wrapper_pid: self.pid })
      return mission
    })
    .immediate()
}

export function beat(db: Database, id: MissionId, now: Date): void {
  updateMission(db, id, { heartbeat_at: now.toISOString() })
}

export interface Ending {
  code: number | null
  signal: NodeJS.Signals | null
  /** Nobody wanted it: the terminal, the tmux server or Claude was taken away. */
  isLost: boolean
}

/** Unless somebody else but `holder` has the mission by now: then false, and nothing is changed. */
export function releaseLease(
  db: Database,
  id: MissionId,
  holder: ProcessIdentity | null,
  ending: Ending,
  now: Date,
): boolean {
  return endLease(db, id, holder, ending, now, { claude_pid: null, claude_start: null })
}

/**
 * After a start that failed. `before` is the mission as it was: what was lost is still to be brought back, and
 * an old Claude that may live on stays known.
 */
export function giveUpLease(db: Database, before: MissionRecord, self: ProcessIdentity, now: Date): void {
  const isLost = before.ended_by === 'lost' || leaseHolder(before) !== null
  endLease(db, before.id, self, { code: 1, signal: null, isLost }, now, {})
}

function endLease(
  db: Database,
  id: MissionId,
  holder: ProcessIdentity | null,
  ending: Ending,
  now: Date,
  claude: Pick<MissionChange, 'claude_pid' | 'claude_start'>,
): boolean {
  const at = now.toISOString()
  return db
    .transaction(() => {
      const isEnded = updateIfHeldBy(db, id, holder, {
        ...claude,
        wrapper_pid: null,
        wrapper_start: null,
        heartbeat_at: null,
        state: null,
        waiting_for: null,
        waiting_since: null,
        background: 0,
        exit_code: ending.code,
        exit_signal: ending.signal,
        exit_at: at,
        ended_by: ending.isLost ? 'lost' : 'user',
        last_active_at: at,
      })
      if (!isEnded) return false
      abandonRequests(db, id)
      recordEvent(db, id, at, 'ended', { ...ending })
      return true
    })
    .immediate()
}
