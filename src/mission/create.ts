import { rmSync, writeFileSync } from 'node:fs'
import type { Approve } from '../config/approve-modes.ts'
import { readConfig } from '../config/read.ts'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import type { MissionChange, MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { type MissionId, newMissionId } from '../mission-id.ts'
import { markUsed } from '../repo/catalogue.ts'
import { aboutFrom } from './about.ts'
import { agentReposOf, rightsForChild } from './agent-rights.ts'
import { branchFrom } from './branch-name.ts'
import { callerOf } from './calling-mission.ts'
import { checkStart } from './check-start.ts'
import type { CopyOrder } from './copy-order.ts'
import { type DirectorySource, prepareDirectory } from './directory.ts'
import { repoConfig } from './effective-settings.ts'
import type { HeadlessLimits } from './headless-limits.ts'
import { markAsFinished } from './maker-mark.ts'
import { refuseSharedDirectory } from './mission-directory.ts'
import { missionService } from './open-service.ts'
import { maySetUp } from './repo-setup.ts'
import type { MissionService } from './service.ts'
import { limitsForAgent, warnOfMemory } from './start-limits.ts'

export interface MissionWish {
  source: DirectorySource
  /** How the working copy of a repo is made. Without `branch`, the settings name it. */
  copy: (Omit<CopyOrder, 'branch'> & { branch?: string }) | null
  pullRequest: { number: number; url: string | null } | null
  repo: string | null
  name: string | null
  /** The mission that it is a copy of. If an agent starts it, that is its parent instead. */
  parentId: MissionId | null
  permissionMode: string | null
  approve: Approve | null
  model: string | null
  mayAnswer: boolean
  /** These rights are those of another mission. Where they are wider than an agent's own, it gets less instead of an error. */
  areRightsInherited?: boolean
  prompt: string | null
  /** The limits of a mission without a terminal. Null for a mission with one. */
  headless: HeadlessLimits | null
  /** What the mission is about if it has no prompt. */
  about: string | null
  /** The conversation that the new one branches off from. */
  forkedSessionId: string | null
}

/**
 * Creates a mission on disk first and then in the store, so that every mission in the store is complete. Only the working
 * copy of a repo comes later: the wrapper makes it, because it may fetch for a while.
 */
export async function createMission(
  context: Context,
  db: Database,
  wish: MissionWish,
): Promise<MissionRecord> {
  const id = newMissionId()
  const missions = missionService(context, db)
  const config = await readConfig(context.paths)
  const agent = callerOf(context, db)
  const rights =
    agent === null ? wish : rightsForChild(agent, wish, config, { isInherited: wish.areRightsInherited })
  const checkLimits = agent === null ? null : limitsForAgent(context, db, agent, config)
  checkLimits?.()
  if (agent === null) warnOfMemory(context, db, config)
  const isSetupPending = needsSetup(context, db, missions, wish, config)
  const original = wish.source.kind === 'mission' ? missions.get(wish.source.id)! : null
  const order = wish.copy && copyOrder(wish.copy, config, wish.name, id)
  if (order !== null && wish.repo !== null) await checkStart(context, db, wish.repo, order, id)
  const { source } = wish
  await prepareDirectory(context, id, source)
  try {
    if (wish.prompt !== null) writeFileSync(context.paths.mission(id).prompt, wish.prompt, { mode: 0o600 })
    if (wish.repo !== null) markUsed(context, db, wish.repo)
    missions.write(writer => {
      checkLimits?.()
      writer.insert(
        {
          id,
          name: wish.name,
          about: aboutFrom(wish.prompt) ?? wish.about,
          repo: wish.repo,
          parent_id: agent?.id ?? wish.parentId,
          permission_mode: rights.permissionMode,
          approve: rights.approve,
          model: wish.model,
          session_id: id,
          forked_session_id: wish.forkedSessionId,
          setup_pending: isSetupPending ? 1 : 0,
          may_answer: rights.mayAnswer ? 1 : 0,
        },
        ['created', { source: wish.source, name: wish.name }],
      )
      writer.change(id, {
        ...(original === null ? {} : beginningOf(original)),
        agent_repos: agent && JSON.stringify([...agentReposOf(agent), agent.repo]),
        copy_pending: order && JSON.stringify(order),
        pr_number: wish.pullRequest?.number ?? null,
        pr_url: wish.pullRequest?.url ?? null,
        headless: wish.headless === null ? 0 : 1,
        headless_limits: wish.headless && JSON.stringify(wish.headless),
      })
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

function copyOrder(
  { branch, ...copy }: NonNullable<MissionWish['copy']>,
  { missions }: Config,
  name: string | null,
  id: MissionId,
): CopyOrder {
  return { ...copy, branch: branch ?? branchFrom(missions.branch, name, id) }
}

/** Where the work of a mission began. A copy of its files began there too. */
function beginningOf({ branch, base_ref, base_commit, base_at }: MissionRecord): MissionChange {
  return { branch, base_ref, base_commit, base_at }
}

/**
 * Whether the wrapper prepares the working copy before Claude starts: the submodules of a trusted repo, and its setup. A
 * copy of a mission needs that only if the original was never set up.
 */
function needsSetup(
  context: Context,
  db: Database,
  missions: MissionService,
  { source, repo }: MissionWish,
  config: Config,
): boolean {
  if (source.kind === 'mission') return missions.get(source.id)?.setup_pending === 1
  if (source.kind !== 'repo' || repo === null) return false
  if (repoConfig(repo, config)?.setup) return maySetUp(context, db, repo)
  return source.isTrusted
}
