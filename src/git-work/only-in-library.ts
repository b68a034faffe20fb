import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { cleanText } from '../io/text.ts'
import type { OwnTip } from '../repo/unsaved-work.ts'
import { describeTip, knownPlaces, notArrived } from './arrived.ts'
import { hasArrivedIn } from './has-arrived.ts'
import { type KeptRef, keptWork } from './kept-work.ts'
import { keptRefs, libraryGit, missionRepo } from './mission-repo.ts'

/** A mission, or what is known of one that the store has lost. */
export type KeptMission = Pick<MissionRecord, 'id' | 'name' | 'repo' | 'dir' | 'base_ref'>

/**
 * Describes the kept work of a mission without a directory that has not arrived anywhere else, one line per kind. A
 * failure is a line of its own, never "nothing to lose".
 */
export async function whatOnlyLibraryHas(
  context: Context,
  db: Database,
  mission: KeptMission,
): Promise<string[]> {
  if (mission.repo === null) return []
  const repo = missionRepo(context, mission)
  const refs = keptWork(repo, repo.library).get(mission.id) ?? []
  const { now, head } = keptRefs(mission.id)
  const commitOf = (name: string) => refs.find(ref => ref.name === name)?.commit
  const [last, lastHead] = [commitOf(now), commitOf(head)]
  if (last === undefined) return []
  try {
    const places = await knownPlaces(context, db, mission, repo)
    const missing = await notArrived(repo, places, tipsOf(mission, refs, lastHead))
    const commits = await Promise.all(missing.map(tip => describeTip(repo, places, tip)))
    const hasChanges =
      lastHead === undefined ||
      (await libraryGit(repo, ['diff-tree', '--quiet', lastHead, last])).exitCode !== 0
    const isLost =
      hasChanges && !(await hasArrivedIn(repo, last, places.targets, places.env, { asCommits: false }))
    return [...(isLost ? ['uncommitted changes'] : []), ...commits]
  } catch (error) {
    return [`cannot tell what it has: ${cleanText((error as Error).message)}`]
  }
}

function tipsOf({ id }: KeptMission, refs: readonly KeptRef[], head: string | undefined): OwnTip[] {
  const { heads } = keptRefs(id)
  const branches = refs
    .filter(({ name }) => name.startsWith(heads))
    .map(({ name, commit }) => ({ ref: `refs/heads/${name.slice(heads.length)}`, commit }))
  const isDetached = head !== undefined && branches.every(({ commit }) => commit !== head)
  return [...branches, ...(isDetached ? [{ ref: null, commit: head }] : [])]
}
