import { unavailableError } from '../errors.ts'
import { gitFailed } from '../repo/git.ts'
import { libraryGit, type MissionRepo, type RepoGitOptions } from './mission-repo.ts'

export interface MergedTree {
  tree: string
  /** The files in conflict. Empty if the merge is clean. */
  files: string[]
}

/** git's exit code for a command line that it does not understand. */
const usage = 129

/** Merges two commits without a working tree. Writes only objects. */
export async function mergeTrees(
  repo: MissionRepo,
  ours: string,
  theirs: string,
  options: RepoGitOptions = {},
): Promise<MergedTree> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages']
  // A mission in a repo without commits has no history in common with the others.
  const merged = await libraryGit(repo, [...args, '--allow-unrelated-histories', ours, theirs], options)
  if (merged.exitCode === usage)
    throw unavailableError('this git cannot merge without a working tree', 'Update git to 2.38 or newer.')
  if (merged.exitCode !== 0 && merged.exitCode !== 1) throw gitFailed('cannot merge', merged)
  const [tree = '', ...files] = merged.stdout.split('\0').filter(part => part !== '')
  return { tree, files: [...new Set(files)] }
}
