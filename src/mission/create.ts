import { rmSync, writeFileSync } from 'node:fs'
import { readConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import { recordEvent } from '../db/events.ts'
import type { Approve, MissionRecord } from '../db/mission-record.ts'
import { getMission, insertMission } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { type MissionId, newMissionId } from '../mission-id.ts'
import { prepareDirectory, type Source } from './directory.ts'
import { repoConfig } from './permission.ts'
import { maySetUp } from './repo-setup.ts'

export interface MissionWish {
  source: Source
  repo: string | null
  name: string | null
  parentId: MissionId | null
  permissionMode: string | null
  approve: Approve | null
  model: string | null
  prompt: string | null
  /** The conversation to branch off from. */
  forkedSessionId: string | null
}

/** A new mission, on disk first and then in the store: what the store lists is whole. */
export async function createMission(
  context: Context,
  db: Database,
  wish: MissionWish,
): Promise<MissionRecord> {
  const id = newMissionId()
  const setupPending = (await needsSetup(context, db, wish)) ? 1 : 0
  await prepareDirectory(context, id, wish.source)
  try {
    if (wish.prompt !== null) writeFileSync(context.paths.mission(id).prompt, wish.prompt, { mode: 0o600 })
    store(db, id, wish, setupPending, context.now().toISOString())
  } catch (error) {
    rmSync(context.paths.mission(id).root, { recursive: true, force: true })
    throw error
  }
  return getMission(db, id)!
}

function store(db: Database, id: MissionId, wish: MissionWish, setupPending: 0 | 1, at: string): void {
  db.transaction(() => {
    insertMission(db, {
      id,
      name: wish.name,
      repo: wish.repo,
      parent_id: wish.parentId,
      created_at: at,
      permission_mode: wish.permissionMode,
      approve: wish.approve,
      model: wish.model,
      session_id: id,
      forked_session_id: wish.forkedSessionId,
      setup_pending: setupPending,
    })
    recordEvent(db, id, at, 'created', { source: wish.source, name: wish.name })
  }).immediate()
}

/** A copy of a directory that was never set up needs it as much as a fresh one. */
async function needsSetup(context: Context, db: Database, { source, repo }: MissionWish): Promise<boolean> {
  if (source.kind === 'mission') return getMission(db, source.id)?.setup_pending === 1
  return source.kind === 'repo' && hasSetup(context, db, repo)
}

async function hasSetup(context: Context, db: Database, repo: string | null): Promise<boolean> {
  if (repo === null || !repoConfig(repo, await readConfig(context.paths))?.setup) return false
  return maySetUp(context, db, repo)
}
