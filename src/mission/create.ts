import { rmSync, writeFileSync } from 'node:fs'
import type { Approve } from '../config/approve-modes.ts'
import { readConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { type MissionId, newMissionId } from '../mission-id.ts'
import { markUsed } from '../repo/catalogue.ts'
import { submodulePaths } from '../repo/submodules.ts'
import { aboutFrom } from './about.ts'
import { type DirectorySource, prepareDirectory } from './directory.ts'
import { repoConfig } from './effective-settings.ts'
import { markAsFinished } from './maker-mark.ts'
import { refuseSharedDirectory } from './mission-directory.ts'
import { missionService } from './open-service.ts'
import { maySetUp } from './repo-setup.ts'
import type { MissionService } from './service.ts'

export interface MissionWish {
  source: DirectorySource
  repo: string | null
  name: string | null
  parentId: MissionId | null
  permissionMode: string | null
  approve: Approve | null
  model: string | null
  mayAnswer: boolean
  prompt: string | null
  /** What the mission is about if it has no prompt. */
  about: string | null
  /** The conversation that the new one branches off from. */
  forkedSessionId: string | null
}

/** Creates a mission on disk first and then in the store, so that every mission in the store is complete. */
export async function createMission(
  context: Context,
  db: Database,
  wish: MissionWish,
): Promise<MissionRecord> {
  const id = newMissionId()
  const missions = missionService(context, db)
  const hasSetup = await needsSetup(context, db, missions, wish)
  await prepareDirectory(context, id, wish.source)
  try {
    const { source } = wish
    const getsSubmodules = source.kind === 'repo' && source.isTrusted && submodulesOf(context, id).length > 0
    if (wish.prompt !== null) writeFileSync(context.paths.mission(id).prompt, wish.prompt, { mode: 0o600 })
    if (wish.repo !== null) markUsed(context, db, wish.repo)
    missions.write(writer => {
      writer.insert(
        {
          id,
          name: wish.name,
          about: aboutFrom(wish.prompt) ?? wish.about,
          repo: wish.repo,
          parent_id: wish.parentId,
          permission_mode: wish.permissionMode,
          approve: wish.approve,
          model: wish.model,
          session_id: id,
          forked_session_id: wish.forkedSessionId,
          setup_pending: hasSetup || getsSubmodules ? 1 : 0,
          may_answer: wish.mayAnswer ? 1 : 0,
        },
        ['created', { source: wish.source, name: wish.name }],
      )
      if (source.kind !== 'dir') return
      if (!source.mayBeShared) refuseSharedDirectory(db, source.path)
      writer.change(id, { dir: source.path })
    })
  } catch (error) {
    rmSync(context.paths.mission(id).root, { recursive: true, force: true })
    throw error
  }
  markAsFinished(context.paths.mission(id))
  return missions.get(id)!
}

export function submodulesOf(context: Context, id: MissionId): string[] {
  return submodulePaths(context, context.paths.mission(id).agent)
}

/** A copy of a mission needs the setup only if the original was never set up. */
async function needsSetup(
  context: Context,
  db: Database,
  missions: MissionService,
  { source, repo }: MissionWish,
): Promise<boolean> {
  if (source.kind === 'mission') return missions.get(source.id)?.setup_pending === 1
  if (source.kind !== 'repo' || repo === null) return false
  const hasSetup = Boolean(repoConfig(repo, await readConfig(context.paths))?.setup)
  return hasSetup && maySetUp(context, db, repo)
}
