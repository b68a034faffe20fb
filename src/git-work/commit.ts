import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { AgencError, errorCode, usageError } from '../errors.ts'
import { cleanText } from '../io/text.ts'
import { disabledFilters, gitFailed } from '../repo/git.ts'
import { type AsUser, commitTree } from './as-user.ts'
import { keptRefs, libraryGit, type MissionRepo, outputOf, ownGit, ownObjects } from './mission-repo.ts'

export interface NewCommit {
  tree: string
  /** The commit that the branch names now. Null before the first one. */
  parent: string | null
  branch: string
  message: string
  user: AsUser
  /** The hooks in the mission's repo run. Its Claude can write them, so only if the user trusts the repo. */
  runsHooks: boolean
}

/**
 * Commits a tree on the mission's branch, as the user. Runs no filter, and no setting of the mission applies. Its files
 * are not touched. Branch and index change together, or not at all.
 */
export async function commitOnBranch(repo: MissionRepo, commit: NewCommit): Promise<string> {
  if (commit.message.trim() === '')
    throw usageError('the message of the commit is empty', 'Say what the work does: --commit <message>')
  const objects = ownObjects(repo)
  if (objects === null) return commitInLibrary(repo, commit)
  const env = { GIT_OBJECT_DIRECTORY: objects, GIT_ALTERNATE_OBJECT_DIRECTORIES: '' }
  const { tree, message } = commit.runsHooks ? await runHooks(repo, commit, env) : commit
  const parents = commit.parent === null ? [] : [commit.parent]
  const made = await commitTree(repo, commit.user, { tree, parents, message, env })
  await moveBranch(repo, {
    branch: commit.branch,
    from: commit.parent,
    to: made,
    why: `commit: ${cleanText(message.split('\n')[0]!)}`,
  })
  return made
}

/** The directory is gone. When it comes back, it is made from these refs. */
async function commitInLibrary(repo: MissionRepo, commit: NewCommit): Promise<string> {
  const { tree, parent, branch, message, user } = commit
  const parents = parent === null ? [] : [parent]
  const made = await commitTree(repo, user, { tree, parents, message })
  const names = keptRefs(repo.id)
  const refs = [`${names.heads}${branch}`, names.head]
  const input = refs.map(ref => `update ${ref} ${made} ${parent ?? ''}\n`).join('')
  const done = await libraryGit(repo, ['update-ref', '--stdin'], {
    input: `${input}update ${names.now} ${made}\n`,
  })
  if (done.exitCode !== 0) throw gitFailed('cannot store the commit', done)
  return made
}

export interface BranchMove {
  branch: string
  from: string | null
  to: string
  /** For the reflog. */
  why: string
}

/** Moves the current branch of the mission, and its index to the files of that commit. Files are not touched. */
export async function moveBranch(repo: MissionRepo, move: BranchMove): Promise<void> {
  await withNewIndex(repo, async index => {
    await readCommit(repo, index, move.to)
    await updateBranch(repo, move)
  })
}

/** Gives the mission's index the entries of a commit. It keeps what git knows about unchanged files. */
async function readCommit(repo: MissionRepo, index: string, commit: string): Promise<void> {
  const options = {
    env: { GIT_INDEX_FILE: index, GIT_WORK_TREE: repo.directory },
    config: disabledFilters(repo, { gitDir: repo.library }),
  }
  const read = await libraryGit(repo, ['read-tree', '--reset', commit], options)
  if (read.exitCode !== 0) {
    // A split index refers to a file beside the original.
    rmSync(index, { force: true })
    await outputOf(libraryGit(repo, ['read-tree', commit], options), 'cannot write the index')
  }
  // Exits with 1 if a file differs.
  await libraryGit(repo, ['update-index', '-q', '--refresh'], options)
}

/**
 * Replaces the mission's index by a copy that `work` may change. If `work` throws, the index stays. git itself replaces an
 * index in the same way, so no other git in the mission can change it at the same time.
 */
export async function withNewIndex(repo: MissionRepo, work: (index: string) => Promise<void>): Promise<void> {
  const index = join(dirname(repo.directory), `landing-index-${process.pid}`)
  const own = join(repo.directory, '.git', 'index')
  const lock = `${own}.lock`
  lockIndex(lock)
  try {
    if (existsSync(own)) copyFileSync(own, index)
    await work(index)
    copyFileSync(index, lock)
    renameSync(lock, own)
  } catch (error) {
    rmSync(lock, { force: true })
    throw error
  } finally {
    rmSync(index, { force: true })
    rmSync(`${index}.lock`, { force: true })
  }
}

function lockIndex(lock: string): void {
  try {
    writeFileSync(lock, '', { flag: 'wx' })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    throw new AgencError(
      'another git is at work in the mission',
      `Wait until it has ended, then try again. If none is running, delete ${lock}.`,
    )
  }
}

/** Fails if the branch has moved in the meantime. */
export async function updateBranch(repo: MissionRepo, { branch, from, to, why }: BranchMove): Promise<void> {
  const old = from ?? '0'.repeat(to.length)
  const done = await ownGit(repo, ['update-ref', '-m', why, `refs/heads/${branch}`, to, old])
  if (done.exitCode !== 0)
    throw gitFailed(`cannot move the mission's branch ${branch}`, done, 'It may have changed. Try again.')
}

/** `pre-commit` and `commit-msg` may change what is committed, or refuse it. */
async function runHooks(
  repo: MissionRepo,
  { tree, message }: NewCommit,
  objects: NodeJS.ProcessEnv,
): Promise<{ tree: string; message: string }> {
  const hooks = await hooksPath(repo)
  if (!['pre-commit', 'commit-msg'].some(hook => existsSync(join(hooks, hook)))) return { tree, message }
  const index = join(repo.directory, '.git', `agenc-index-${process.pid}`)
  const text = join(repo.directory, '.git', `agenc-message-${process.pid}`)
  try {
    const env = { ...objects, GIT_INDEX_FILE: index, GIT_WORK_TREE: repo.directory }
    await outputOf(libraryGit(repo, ['read-tree', tree], { env }), 'cannot prepare the commit')
    writeFileSync(text, `${message}\n`)
    await runHook(repo, hooks, 'pre-commit', [], index)
    await runHook(repo, hooks, 'commit-msg', [text], index)
    const written = await outputOf(libraryGit(repo, ['write-tree'], { env }), 'cannot prepare the commit')
    return { tree: written.trim(), message: readFileSync(text, 'utf8') }
  } finally {
    for (const path of [index, `${index}.lock`, text]) rmSync(path, { force: true })
  }
}

async function hooksPath(repo: MissionRepo): Promise<string> {
  const asked = await ownGit(repo, ['config', '--local', '--type=path', '--get', 'core.hooksPath'])
  const path = asked.exitCode === 0 ? asked.stdout.replace(/\n$/, '') : join('.git', 'hooks')
  return isAbsolute(path) ? path : join(repo.directory, path)
}

async function runHook(
  repo: MissionRepo,
  hooks: string,
  name: string,
  args: readonly string[],
  index: string,
): Promise<void> {
  const program = join(hooks, name)
  if (!existsSync(program)) return
  const ran = await repo.exec.stream(program, args, {
    cwd: repo.directory,
    env: { ...repo.env, GIT_INDEX_FILE: index, GIT_EDITOR: ':', GIT_PREFIX: '' },
  })
  if (ran.exitCode === 0) return
  const said = `${ran.stdout}\n${ran.stderr}`.split('\n').map(cleanText)
  const last = said.filter(line => line !== '').slice(-5)
  throw new AgencError(
    `the repo's ${name} hook refused the commit`,
    last.map(line => `  ${line}`).join('\n') || `It ended with exit code ${ran.exitCode ?? 'unknown'}.`,
  )
}
