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
    const isUndone = asCommits && (await undoesItself(repo, common.stdout.trim(), commit, env))
    if (!isUndone && (await changesNothing(repo, target, commit, env))) return true
    if (!asCommits) continue
    if (await hasEachCommit(repo, target, commit, env)) return true
    if (await hasSquashed(repo, { from: common.stdout.trim(), target, commit }, env)) return true
  }
  return false
}

/** Work that was taken back leaves the target as it is, too. After a merge of the target, its files say nothing. */
async function undoesItself(
  repo: MissionRepo,
  from: string,
  commit: string,
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  const same = await libraryGit(repo, ['diff-tree', '--quiet', from, commit], { env })
  if (same.exitCode !== 0) return false
  const merges = ['rev-list', '--count', '--merges', '--max-count=1', `${from}..${commit}`]
  return Number(await gitText(repo, merges, env)) === 0
}

/** A merge driver may prefer the target, whatever the work is. */
const withoutDrivers = [
  'core.attributesFile=/dev/null',
  'attr.tree=refs/agenc/none',
  'merge.renormalize=false',
]

/** Merging it would leave the target as it is. So it is after a squash, also with later commits on top. */
async function changesNothing(
  repo: MissionRepo,
  target: string,
  commit: string,
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  const merged = await libraryGit(repo, ['merge-tree', '--write-tree', target, commit], {
    env: { ...env, GIT_ATTR_NOSYSTEM: '1' },
    config: withoutDrivers,
  })
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
  const sides = ['rev-list', '--cherry-mark', '--parents', `${target}...${commit}`]
  const own = parseMarked(await gitText(repo, [...sides, '--right-only'], env))
  if (own.some(({ parents }) => parents > 1)) return false
  const single = own.filter(({ hasCopy }) => !hasCopy).map(({ id }) => id)
  if (!(await areEmpty(repo, single, env))) return false
  const copied = own.filter(({ hasCopy }) => hasCopy).map(({ id }) => id)
  if (copied.length === 0) return true
  const theirs = parseMarked(await gitText(repo, [...sides, '--left-only', '--no-merges'], env))
  const copies = theirs.filter(({ hasCopy }) => hasCopy).map(({ id }) => id)
  const patches = await patchesOf(repo, [...copied, ...copies], env)
  const there = new Set(copies.map(id => patches.get(id)))
  return copied.every(id => there.has(patches.get(id)))
}

interface MarkedCommit {
  id: string
  /** The other side has a commit that looks alike. git does not see differences in white space. */
  hasCopy: boolean
  parents: number
}

function parseMarked(listed: string): MarkedCommit[] {
  return linesOf(listed).map(line => {
    const [id = '', ...parents] = line.slice(1).split(' ')
    return { id, hasCopy: line.startsWith('='), parents: parents.length }
  })
}

async function areEmpty(repo: MissionRepo, commits: readonly string[], env: NodeJS.ProcessEnv) {
  if (commits.length === 0) return true
  const args = ['diff-tree', '--stdin', '--root', '--name-only']
  return (await gitText(repo, args, env, inputOf(commits))) === ''
}

const mostCommits = 1000

/** One commit of the target makes the same changes as all of the work together. */
async function hasSquashed(
  repo: MissionRepo,
  { from, target, commit }: { from: string; target: string; commit: string },
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  const names = ['diff-tree', '-r', '--name-only', '--no-renames']
  const changed = linesOf(await gitText(repo, [...names, '-z', from, commit], env), '\0')
  if (changed.length === 0) return false
  // The commit must have changed the first file too, which spares git most of the history.
  const history = ['rev-list', '--no-merges', `--max-count=${mostCommits}`, `${from}..${target}`]
  const found = linesOf(await gitText(repo, [...history, '--', `:(literal)${changed[0]}`], env))
  const wantedNames = await gitText(repo, [...names, from, commit], env)
  const listed = await gitText(repo, [...names, '--stdin', '--root'], env, inputOf(found))
  const candidates = [...byCommit(found, listed)].flatMap(([id, text]) => (text === wantedNames ? [id] : []))
  if (candidates.length === 0) return false
  const wanted = withoutPlaces(await gitText(repo, [...patch, from, commit], env))
  return [...(await patchesOf(repo, candidates, env)).values()].includes(wanted)
}

const patch = [
  ...['diff-tree', '-r', '-p', '--root', '--full-index'],
  ...['--no-ext-diff', '--no-textconv', '--no-renames', '--no-color'],
]

/** What each commit changes, wherever in the files. */
async function patchesOf(
  repo: MissionRepo,
  commits: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Map<string, string>> {
  const text = await gitText(repo, [...patch, '--stdin'], env, inputOf(commits))
  return new Map([...byCommit(commits, text)].map(([id, changes]) => [id, withoutPlaces(changes)]))
}

/** The parts of an output that has the name of a commit on a line before each. */
function byCommit(commits: readonly string[], text: string): Map<string, string> {
  const known = new Set(commits)
  const parts = new Map(commits.map(id => [id, [] as string[]]))
  let current: string[] = []
  for (const line of text.split('\n').slice(0, -1)) {
    if (known.has(line)) current = parts.get(line)!
    else current.push(`${line}\n`)
  }
  return new Map([...parts].map(([id, lines]) => [id, lines.join('')]))
}

/** Without the numbers of lines and the names of objects, except those of binary files, which a patch does not show. */
function withoutPlaces(text: string): string {
  const lines = text.split('\n')
  const isNoise = (line: string, at: number) =>
    line.startsWith('index ') && !lines[at + 1]?.startsWith('Binary files ')
  return lines
    .filter((line, at) => !isNoise(line, at))
    .map(line => (line.startsWith('@@ ') ? '@@' : line))
    .join('\n')
}

/** In latin1, because files can have any bytes. */
function gitText(repo: MissionRepo, args: readonly string[], env: NodeJS.ProcessEnv, input = '') {
  return outputOf(libraryGit(repo, args, { env, input, isBinary: true }), 'cannot compare the changes')
}

function inputOf(commits: readonly string[]): string {
  return commits.map(id => `${id}\n`).join('')
}

function linesOf(text: string, end = '\n'): string[] {
  return text.split(end).filter(line => line !== '')
}
