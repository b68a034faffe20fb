import type { NewMission } from '../../src/db/missions.ts'
import { newMissionId } from '../../src/mission/id.ts'

/** A blank mission with an id of its own, as the store takes it. */
export function aMission(): NewMission {
  const id = newMissionId()
  return {
    id,
    name: null,
    repo: null,
    parent_id: null,
    created_at: new Date().toISOString(),
    permission_mode: null,
    approve: null,
    model: null,
    session_id: id,
    forked_session_id: null,
    setup_pending: 0,
  }
}
