import type { MissionRecord } from '../db/missions.ts'
import type { ChangesJson } from '../mission/mission-json.ts'
import { baseBranchRef } from './base-branch.ts'
import { libraryGit, type MissionRepo, outputOf, type RepoGitOptions } from './mission-repo.ts'
import type { Snapshot } from './snapshot.ts'

/**
 * The commit that a mission's work is compared with. If the base has been merged into the mission since it started, that
 * is the newest common commit, so that the work of others does not count.
 */
export async function baseOf(
  repo: MissionRepo,
  mission: Pick<MissionRecord, 'base_ref' | 'base_commit'>,
  head: string | null,
  options: RepoGitOptions = {},
): Promise<string | null> {
  const { base_commit } = mission
  if (head === null) return base_commit
  const common = await libraryGit(repo, ['merge-base', head, baseBranchRef(mission)], options)
  if (common.exitCode !== 0) return base_commit
  const commit = common.stdout.trim()
  if (base_commit === null || base_commit === commit) return commit
  const isNewer = await libraryGit(repo, ['merge-base', '--is-ancestor', base_commit, commit], options)
  return isNewer.exitCode === 0 ? commit : base_commit
}

/** The tree without files, against which everything in a repo without a base is new. */
export async function emptyTree(repo: MissionRepo): Promise<string> {
  const hashed = libraryGit(repo, ['hash-object', '-t', 'tree', '--stdin'])
  return (await outputOf(hashed, 'cannot compare the files')).trim()
}

const numstat = ['diff-tree', '-r', '--numstat', '-z', '--no-renames', '--no-ext-diff', '--no-textconv']

export async function measureChanges(
  repo: MissionRepo,
  mission: Pick<MissionRecord, 'base_ref' | 'base_commit'>,
  { head, commit, isDirty }: Snapshot,
  now: Date,
  options: RepoGitOptions = {},
): Promise<ChangesJson> {
  const base = await baseOf(repo, mission, head, options)
  const from = base ?? (await emptyTree(repo))
  const compared = outputOf(
    libraryGit(repo, [...numstat, from, commit], { ...options, config: ['core.bigFileThreshold=32m'] }),
    'cannot compare the files',
  )
  const count = async (...range: string[]) => {
    const counted = libraryGit(repo, ['rev-list', '--count', ...range], options)
    return Number(await outputOf(counted, 'cannot count the commits'))
  }
  const [numbers, ahead, unpushed] = await Promise.all([
    compared,
    head === null ? 0 : count(head, ...(base === null ? [] : [`^${base}`])),
    head === null ? 0 : count(head, '--not', '--branches', '--remotes'),
  ])
  const rows = numbers.split('\0').filter(row => row !== '')
  const sum = (column: number) =>
    rows.reduce((total, row) => total + (Number(row.split('\t')[column]) || 0), 0)
  return {
    files: rows.length,
    insertions: sum(0),
    deletions: sum(1),
    ahead,
    unpushed,
    dirty: isDirty,
    at: now.toISOString(),
  }
}
