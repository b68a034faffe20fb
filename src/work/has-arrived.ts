import { gitFailed } from '../repo/git.ts'
import { libraryGit, type MissionRepo, outputOf } from './mission-repo.ts'

/**
 * Whether one of the targets has everything that a commit and its ancestors changed. `asCommits: false` compares only the
 * resulting files.
 */
export async function hasArrivedIn(
  repo: MissionRepo,
  commit: string,
  targets: readonly string[],
  env: NodeJS.ProcessEnv,
  { asCommits = true } = {},
): Promise<boolean> {
  for (const target of targets) {
    const common = await libraryGit(repo, ['merge-base', target, commit], { env })
    // Histories without a common commit cannot be compared.
    if (common.exitCode !== 0) continue
    if (await changesNothing(repo, target, commit, env)) return true
    if (!asCommits) continue
    if (await hasEachCommit(repo, target, commit, env)) return true
    if (await hasSquashed(repo, { from: common.stdout.trim(), target, commit }, env)) return true
  }
  return false
}

/** Merging it would leave the target as it is. So it is after a squash, also with later commits on top. */
async function changesNothing(
  repo: MissionRepo,
  target: string,
  commit: string,
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  const merged = await libraryGit(repo, ['merge-tree', '--write-tree', target, commit], { env })
  // Exit code 1 means conflicts. An older git does not know the option.
  if (merged.exitCode === 1 || merged.exitCode === 129) return false
  if (merged.exitCode !== 0) throw gitFailed('cannot compare the work', merged)
  const tree = await outputOf(
    libraryGit(repo, ['rev-parse', '--verify', `${target}^{tree}`], { env }),
    'cannot compare the work',
  )
  return merged.stdout.trim() === tree.trim()
}

/** Each commit was cherry-picked or rebased. A merge has no such copy, so its own changes count as missing. */
async function hasEachCommit(
  repo: MissionRepo,
  target: string,
  commit: string,
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  const args = ['rev-list', '--count', '--cherry-pick', '--right-only', `${target}...${commit}`]
  return Number(await outputOf(libraryGit(repo, args, { env }), 'cannot compare the commits')) === 0
}

const mostCommits = 1000

/** One commit of the target makes the same changes as all of the work together. */
async function hasSquashed(
  repo: MissionRepo,
  { from, target, commit }: { from: string; target: string; commit: string },
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  const git = (args: string[], input?: string) =>
    outputOf(libraryGit(repo, args, { env, input }), 'cannot compare the changes')
  const changed = await git(['diff-tree', '-r', '-z', '--numstat', '--no-renames', from, commit])
  const rows = changed.split('\0').filter(row => row !== '')
  const pathOf = (row: string) => row.split('\t').slice(2).join('\t')
  if (rows.length === 0) return false
  const patchIds = async (patches: string) =>
    (await git(['patch-id', '--stable'], patches)).split('\n').map(line => line.split(' '))
  const plain = ['-p', '--no-ext-diff', '--no-textconv', '--no-renames', '--no-color']
  const wanted = (await patchIds(await git(['diff-tree', ...plain, from, commit])))[0]?.[0]
  if (!wanted) return false
  // The commit must have changed the first file too, which spares git most of the history.
  const history = ['log', '--format=commit %H', '--no-merges', `--max-count=${mostCommits}`, '--full-diff']
  const patches = await git([
    ...history,
    ...plain,
    `${from}..${target}`,
    '--',
    `:(literal)${pathOf(rows[0]!)}`,
  ])
  const same = (await patchIds(patches)).find(([id]) => id === wanted)?.[1]
  if (same === undefined) return false
  // A patch does not show what is in a binary file.
  const binary = rows.filter(row => row.startsWith('-\t-')).map(row => `:(literal)${pathOf(row)}`)
  return (
    binary.length === 0 ||
    (await git(['diff-tree', '-r', '--name-only', same, commit, '--', ...binary])) === ''
  )
}
