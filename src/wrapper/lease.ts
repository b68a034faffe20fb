import { abandonRequests } from '../db/approvals.ts'
import { leaseHolder, type MissionChange, type MissionRecord } from '../db/missions.ts'
import { AgencError } from '../errors.ts'
import { endLease, type LeaseStore, type TimedEnding } from '../mission/end-lease.ts'
import { statusOf } from '../mission/mission-status.ts'
import type { MissionService } from '../mission/service.ts'
import type { StoredEnding } from '../mission/wrapper-note.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import type { ProcessIdentity, ProcessProbe } from '../system/process-identity.ts'

/** Takes the lease for this process. If several try, exactly one gets it. Returns the mission as it was before. */
export function takeLease(
  { db, missions }: LeaseStore,
  id: MissionId,
  self: ProcessIdentity,
  probe: ProcessProbe,
  now: Date,
): MissionRecord {
  return missions.write(writer => {
    const mission = writer.get(id)
    if (!mission) throw new AgencError(`there is no mission ${id}`, "Run 'agenc mission ls -a'.")
    const holder = leaseHolder(mission)
    const liveness = holder ? probe.liveness([holder])[0]! : null
    if (statusOf(mission, liveness, now) === 'running') throw alreadyRunning(mission)
    const taken: MissionChange = {
      wrapper_pid: self.pid,
      wrapper_start: self.start,
      heartbeat_at: writer.at,
      state: 'starting',
      waiting_for: null,
      waiting_since: null,
      background: 0,
      archived_at: null,
      ended_by: null,
    }
    writer.change(id, taken, ['started', { wrapper_pid: self.pid }])
    abandonRequests(db, id)
    return mission
  })
}

function alreadyRunning({ id, wrapper_pid }: MissionRecord): AgencError {
  return new AgencError(
    `mission ${shortId(id)} is already running (process ${wrapper_pid})`,
    `Stop it first with: agenc mission stop ${shortId(id)}`,
  )
}

export function beat(missions: MissionService, id: MissionId, now: Date): void {
  missions.change(id, { heartbeat_at: now.toISOString() })
}

/** Ends the lease of `holder`. Changes nothing and returns false if another process has taken it in the meantime. */
export function releaseLease(
  store: LeaseStore,
  id: MissionId,
  holder: ProcessIdentity | null,
  ending: TimedEnding,
): boolean {
  return endLease(store, id, holder, ending, { claude_pid: null, claude_start: null })
}

/** `before` is the mission before the failed start: a lost mission stays lost, so that it can be restored. */
export function failedStart(before: MissionRecord): StoredEnding {
  const wasLost = before.ended_by === 'lost' || leaseHolder(before) !== null
  return { why: wasLost ? 'lost' : 'failed', code: 1, signal: null }
}

/** Ends the lease after a failed start. The pid of an old Claude that may still run is kept. */
export function giveUpLease(
  store: LeaseStore,
  before: MissionRecord,
  self: ProcessIdentity,
  ending: TimedEnding = failedStart(before),
): boolean {
  return endLease(store, before.id, self, ending, { archived_at: before.archived_at })
}
