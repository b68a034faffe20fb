import { abandonRequests } from '../db/approvals.ts'
import type { MissionChange, MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError } from '../errors.ts'
import { leaseHolder, statusOf } from '../mission/mission-status.ts'
import type { MissionService } from '../mission/service.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import type { ProcessIdentity, ProcessProbe } from '../system/process-identity.ts'
import type { Ending } from './ending.ts'

/** A lease needs the service to change the mission, and the database to close its open requests. */
export interface LeaseStore {
  db: Database
  missions: MissionService
}

export type StoredEnding = Pick<Ending, 'why' | 'code' | 'signal'>

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
  ending: StoredEnding,
): boolean {
  return endLease(store, id, holder, ending, { claude_pid: null, claude_start: null })
}

/**
 * Ends the lease after a failed start. `before` is the mission before the start: a lost mission stays lost, so that it
 * can be restored, and the pid of an old Claude that may still run is kept.
 */
export function giveUpLease(store: LeaseStore, before: MissionRecord, self: ProcessIdentity): void {
  const wasLost = before.ended_by === 'lost' || leaseHolder(before) !== null
  const ending = { why: wasLost ? 'lost' : 'failed', code: 1, signal: null } as const
  endLease(store, before.id, self, ending, { archived_at: before.archived_at })
}

function endLease(
  { db, missions }: LeaseStore,
  id: MissionId,
  holder: ProcessIdentity | null,
  { why, code, signal }: StoredEnding,
  also: MissionChange,
): boolean {
  const isLost = why === 'lost'
  return missions.write(writer => {
    const ended: MissionChange = {
      ...also,
      wrapper_pid: null,
      wrapper_start: null,
      heartbeat_at: null,
      state: null,
      waiting_for: null,
      waiting_since: null,
      background: 0,
      exit_code: code,
      exit_signal: signal,
      exit_at: writer.at,
      ended_by: why === 'lost' || why === 'failed' ? why : 'user',
      last_active_at: writer.at,
    }
    if (!writer.changeIfHeldBy(id, holder, ended, ['ended', { why, code, signal, isLost }])) return false
    abandonRequests(db, id)
    return true
  })
}
