import { mkdirSync } from 'node:fs'
import type { Context } from '../../src/context.ts'
import { insertMission, updateMission } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import { insertRepo } from '../../src/db/repos.ts'
import { type MissionId, newMissionId } from '../../src/mission-id.ts'
import { writeRepoChoices } from '../../src/repo/catalogue.ts'
import { systemProbe } from '../../src/system/process-identity.ts'
import { systemRunner } from '../../src/system/runner.ts'
import type { Box } from './box.ts'

export interface StoredMission {
  id: MissionId
  name: string
  repo: string | null
}

/** A name that can be recognised on a screen. */
export function markedName(index: number): string {
  return `bench-${String(index).padStart(4, '0')}`
}

export const markedNamePattern = /bench-\d{4}/

/** Creates stopped missions, in the store and on disk. */
export async function storeMissions(box: Box, count: number): Promise<StoredMission[]> {
  const missions = Array.from({ length: count }, (_, index) => ({
    id: newMissionId(),
    name: markedName(index),
    repo: `github.com/bench/repo-${index % 7}`,
  }))
  const db = await openStore(box.paths.database)
  const newestMs = Date.now()
  db.transaction(() => {
    for (const [index, mission] of missions.entries()) {
      insertMission(db, {
        ...mission,
        about: null,
        parent_id: null,
        created_at: new Date(newestMs - index * 60_000).toISOString(),
        permission_mode: null,
        approve: null,
        model: null,
        session_id: mission.id,
        forked_session_id: null,
        setup_pending: 0,
        may_answer: 0,
      })
    }
  }).immediate()
  db.close()
  for (const { id } of missions) mkdirSync(box.paths.mission(id).agent, { recursive: true, mode: 0o700 })
  return missions
}

/** Makes missions look as if these processes were their wrappers. */
export async function markRunning(box: Box, wrapperPids: ReadonlyMap<MissionId, number>): Promise<void> {
  const db = await openStore(box.paths.database)
  const probe = systemProbe(systemRunner)
  const at = new Date().toISOString()
  db.transaction(() => {
    for (const [id, pid] of wrapperPids) {
      const { start } = probe.identify(pid)!
      const wrapper = { wrapper_pid: pid, wrapper_start: start, heartbeat_at: at }
      updateMission(db, id, { ...wrapper, claude_pid: pid, claude_start: start, state: 'idle' })
    }
  }).immediate()
  db.close()
}

export async function storeRepos(box: Box, count: number): Promise<void> {
  const db = await openStore(box.paths.database)
  const at = new Date().toISOString()
  db.transaction(() => {
    for (let index = 0; index < count; index++) {
      const id = `github.com/bench/${markedName(index)}`
      insertRepo(db, { id, url: `https://${id}.git`, trusted: 1, added_at: at, updated_at: at })
    }
  }).immediate()
  writeRepoChoices({ paths: box.paths } as Context, db)
  db.close()
}
