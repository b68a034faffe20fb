import { abandonRequests } from '../db/approvals.ts'
import { leaseHolder, type MissionChange, type MissionRecord } from '../db/missions.ts'
import { AgencError } from '../errors.ts'
import { endLease, type LeaseStore, recordKill, type TimedEnding } from '../mission/end-lease.ts'
import { statusOf } from '../mission/mission-status.ts'
import type { MissionService, MissionWriter } from '../mission/service.ts'
import type { StoredEnding } from '../mission/wrapper-note.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { isSameProcess, type ProcessIdentity, type ProcessProbe } from '../system/process-identity.ts'

/**
 * Takes the lease for this process. If several try, exactly one gets it. Returns the mission as it was before. `opener` is
 * the process that opened this one's window, and may have reserved the lease.
 */
export function takeLease(
  { db, missions }: LeaseStore,
  id: MissionId,
  self: ProcessIdentity,
  probe: ProcessProbe,
  now: Date,
  opener: ProcessIdentity | null = null,
): MissionRecord {
  return missions.write(writer => {
    const mission = existing(writer, id)
    const holder = leaseHolder(mission)
    const isReserved = holder !== null && [self, opener].some(one => isSameProcess(one, holder))
    if (!isReserved) refuseRunning(mission, probe, now)
    recordKill(db, writer, id)
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
    return isReserved ? { ...mission, wrapper_pid: null, wrapper_start: null } : mission
  })
}

/** A lease that this process holds for a wrapper which it is about to start. */
export interface Reservation {
  holder: ProcessIdentity
  /** Hands the lease to the wrapper, unless the wrapper has taken it already. */
  passTo(wrapper: ProcessIdentity): void
  /** Puts the mission back to what it was before. */
  cancel(): void
}

/** Reserves the lease, so that of several processes only one opens a window for the mission. Throws for the others. */
export function reserveLease(
  missions: MissionService,
  id: MissionId,
  self: ProcessIdentity,
  probe: ProcessProbe,
  now: Date,
): Reservation {
  const before = missions.write(writer => {
    const mission = existing(writer, id)
    refuseRunning(mission, probe, now)
    writer.change(id, {
      wrapper_pid: self.pid,
      wrapper_start: self.start,
      heartbeat_at: writer.at,
      state: 'starting',
      waiting_for: null,
      waiting_since: null,
      ended_by: wasLost(mission) ? 'lost' : mission.ended_by,
    })
    return mission
  })
  const changeIfStillOurs = (change: MissionChange) =>
    void missions.write(writer => writer.changeIfHeldBy(id, self, change))
  return {
    holder: self,
    passTo: ({ pid, start }) => changeIfStillOurs({ wrapper_pid: pid, wrapper_start: start }),
    cancel: () => {
      const { wrapper_pid, wrapper_start, heartbeat_at, state, waiting_for, waiting_since, ended_by } = before
      changeIfStillOurs({
        wrapper_pid,
        wrapper_start,
        heartbeat_at,
        state,
        waiting_for,
        waiting_since,
        ended_by,
      })
    },
  }
}

function existing(writer: MissionWriter, id: MissionId): MissionRecord {
  const mission = writer.get(id)
  if (!mission) throw new NoSuchMission(id)
  return mission
}

function refuseRunning(mission: MissionRecord, probe: ProcessProbe, now: Date): void {
  const holder = leaseHolder(mission)
  const liveness = holder ? probe.liveness([holder])[0]! : null
  if (statusOf(mission, liveness, now) === 'running') throw new AlreadyRunning(mission)
}

class NoSuchMission extends AgencError {
  constructor(id: MissionId) {
    super(`there is no mission ${id}`, "Run 'agenc mission ls -a'.")
  }
}

/** Whether an error means that this process must not run the mission, now or later. */
export function isFinal(error: unknown): boolean {
  return error instanceof AlreadyRunning || error instanceof NoSuchMission
}

/** Another process has the lease. */
export class AlreadyRunning extends AgencError {
  constructor({ id, wrapper_pid }: MissionRecord) {
    super(
      `mission ${shortId(id)} is already running (process ${wrapper_pid})`,
      `Stop it first with: agenc mission stop ${shortId(id)}`,
    )
  }
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
  return { why: wasLost(before) ? 'lost' : 'failed', code: 1, signal: null }
}

function wasLost(before: MissionRecord): boolean {
  return before.ended_by === 'lost' || leaseHolder(before) !== null
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
