import { abandonRequests } from '../db/approvals.ts'
import { recordEvent } from '../db/events.ts'
import { getMission, updateMission } from '../db/missions.ts'
import type { Database } from '../db/open.ts'
import { AgencError } from '../errors.ts'
import { type MissionId, shortId } from '../mission/id.ts'
import type { MissionRecord } from '../mission/record.ts'
import { leaseHolder, statusOf } from '../mission/status.ts'
import type { ProcessIdentity, ProcessProbe } from '../process/identity.ts'

/** Somebody else runs this mission. */
export class AlreadyRunning extends AgencError {
  readonly holderPid: number

  constructor(mission: MissionRecord) {
    super(
      `mission ${shortId(mission.id)} is already running (process ${mission.wrapper_pid})`,
      'Stop it there first.',
    )
    this.holderPid = mission.wrapper_pid!
  }
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
      if (statusOf(mission, liveness, now) === 'running') throw new AlreadyRunning(mission)
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

export function releaseLease(db: Database, id: MissionId, ending: Ending, now: Date): void {
  const at = now.toISOString()
  db.transaction(() => {
    updateMission(db, id, {
      wrapper_pid: null,
      wrapper_start: null,
      claude_pid: null,
      claude_start: null,
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
    abandonRequests(db, id)
    recordEvent(db, id, at, 'ended', { ...ending })
  }).immediate()
}
