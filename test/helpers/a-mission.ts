import type { NewMission } from '../../src/db/missions.ts'
import { newMissionId } from '../../src/mission-id.ts'

/** A new mission for the store: blank, with a new id, except for the given fields. */
export function aMission(given: Partial<NewMission> = {}): NewMission {
  const id = given.id ?? newMissionId()
  return {
    id,
    name: null,
    about: null,
    repo: null,
    parent_id: null,
    created_at: new Date().toISOString(),
    permission_mode: null,
    approve: null,
    model: null,
    session_id: id,
    forked_session_id: null,
    setup_pending: 0,
    may_answer: 0,
    ...given,
  }
}
