import type { MissionRecord } from '../db/missions.ts'
import { libraryGit, type MissionRepo } from './mission-repo.ts'

type Based = Pick<MissionRecord, 'base_ref'>

const ofOrigin = /^origin\//

/**
 * Where the library has the newest state of a mission's base, if that is a branch. Nothing is there for a tag or a commit,
 * which do not move.
 */
export function baseBranchRef({ base_ref }: Based): string {
  // A mission of an older agenc has no base. HEAD of the library names the default branch.
  if (base_ref === null) return 'HEAD'
  return ofOrigin.test(base_ref) ? `refs/remotes/${base_ref}` : `refs/heads/${base_ref}`
}

/** The name of the base at the remote. Null if it is not a branch, but a tag or a commit. */
export async function baseBranch(repo: MissionRepo, mission: Based): Promise<string | null> {
  if (mission.base_ref === null) return null
  const asked = await libraryGit(repo, ['rev-parse', '--quiet', '--verify', baseBranchRef(mission)])
  return asked.exitCode === 0 ? mission.base_ref.replace(ofOrigin, '') : null
}
