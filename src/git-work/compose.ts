import { AgencError } from '../errors.ts'
import { gitFailed } from '../repo/git.ts'
import { type AsUser, commitTree } from './as-user.ts'
import { libraryGit, type MissionRepo, outputOf } from './mission-repo.ts'

export type Way = 'merge' | 'rebase' | 'squash'

/** Commits that are made without a working tree, so that nothing has to be undone if they conflict. */
export interface Composition {
  way: Way
  /** The branch that the work is brought onto. */
  target: string
  /** The newest commit of the work. */
  head: string
  /** A rebase leaves out this commit and its ancestors. */
  after?: string
  /** Of the new commit. A rebase keeps the messages of its commits. */
  message: string
  user: AsUser
  /** Names the directories of the objects that are needed and made. */
  env: NodeJS.ProcessEnv
}

export type Composed = { commit: string } | { conflicts: string[] }

/** The commit that `target` can be moved forward to, or the files that conflict. */
export async function compose(repo: MissionRepo, wish: Composition): Promise<Composed> {
  const { way, target, head, message, user, env } = wish
  const isForward = await isAncestor(repo, target, head, env)
  if (isForward && way === 'merge') return { commit: head }
  if (way === 'rebase') return rebase(repo, wish, isForward)
  const merged = await mergeTrees(repo, target, head, env)
  if ('conflicts' in merged) return merged
  const parents = way === 'merge' ? [target, head] : [target]
  return { commit: await commitTree(repo, user, { tree: merged.tree, parents, message, env }) }
}

export async function isAncestor(
  repo: MissionRepo,
  ancestor: string,
  commit: string,
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  const asked = await libraryGit(repo, ['merge-base', '--is-ancestor', ancestor, commit], { env })
  if (asked.exitCode === 0) return true
  if (asked.exitCode === 1) return false
  throw gitFailed('cannot compare the commits', asked)
}

/** The files after a merge. Needs no common commit in the library's own history. */
export async function mergeTrees(
  repo: MissionRepo,
  ours: string,
  theirs: string,
  env: NodeJS.ProcessEnv,
): Promise<{ tree: string } | { conflicts: string[] }> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs]
  const merged = await libraryGit(repo, args, { env })
  const [tree = '', ...paths] = merged.stdout.split('\0')
  if (merged.exitCode === 0) return { tree }
  if (merged.exitCode === 1 && tree !== '') return { conflicts: paths.filter(path => path !== '') }
  if (merged.exitCode === 129)
    throw new AgencError('this git cannot merge without a working tree', 'Install git 2.38 or newer.')
  if (/unrelated histories/.test(merged.stderr))
    throw new AgencError(
      'the two histories have no commit in common',
      'They are not branches of the same repo.',
    )
  throw gitFailed('cannot merge', merged)
}

async function rebase(repo: MissionRepo, wish: Composition, isForward: boolean): Promise<Composed> {
  const { target, head, after, env, user } = wish
  const hasMerges =
    (await revisions(repo, ['--merges', '--max-count=1', `${target}..${head}`], env)).length > 0
  if (isForward && !hasMerges) return { commit: head }
  const order = ['--reverse', '--topo-order', '--no-merges', '--cherry-pick', '--right-only']
  let tip = target
  for (const commit of await revisions(
    repo,
    [...order, `${target}...${head}`, ...(after ? [`^${after}`] : [])],
    env,
  )) {
    const picked = await pick(repo, { commit, onto: tip, user, env })
    if ('conflicts' in picked) return picked
    tip = picked.commit
  }
  if (hasMerges) await refuseLostMerge(repo, wish, tip)
  return { commit: tip }
}

async function revisions(repo: MissionRepo, args: string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  const listed = await outputOf(libraryGit(repo, ['rev-list', ...args], { env }), 'cannot list the commits')
  return listed.split('\n').filter(line => line !== '')
}

interface Pick {
  commit: string
  onto: string
  user: AsUser
  env: NodeJS.ProcessEnv
}

/** Repeats the changes of one commit. Author and message stay. A commit that changes nothing there is left out. */
async function pick(repo: MissionRepo, { commit, onto, user, env }: Pick): Promise<Composed> {
  const format = '--format=%P%x00%an%x00%ae%x00%ad%x00%B'
  const shown = ['show', '--no-patch', '--date=raw', '--encoding=UTF-8', format, commit]
  const text = await outputOf(libraryGit(repo, shown, { env }), 'cannot read a commit')
  const [parent = '', name = '', email = '', date = '', ...message] = text.split('\0')
  const git = async (...args: string[]) =>
    (await outputOf(libraryGit(repo, args, { env }), 'cannot read a commit')).trim()
  // git takes the merge base from the history, so our side pretends to have grown from the commit's parent.
  const tree = await git('rev-parse', '--verify', `${onto}^{tree}`)
  const side = await commitTree(
    repo,
    { config: [], args: [] },
    {
      tree,
      parents: parent === '' ? [] : [parent],
      message: 'agenc: a side of a merge',
      env: { ...env, ...agencIdentity },
    },
  )
  const merged = await mergeTrees(repo, side, commit, env)
  if ('conflicts' in merged) return merged
  if (merged.tree === tree) return { commit: onto }
  const author = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: `@${date}` }
  const made = { tree: merged.tree, parents: [onto], message: message.join('\0').replace(/\n$/, '') }
  return { commit: await commitTree(repo, user, { ...made, env: { ...env, ...author } }) }
}

const agencIdentity = {
  GIT_AUTHOR_NAME: 'agenc',
  GIT_AUTHOR_EMAIL: 'agenc@localhost',
  GIT_COMMITTER_NAME: 'agenc',
  GIT_COMMITTER_EMAIL: 'agenc@localhost',
}

/** A rebase leaves merges out. If one of them had changes of its own, those would be lost. */
async function refuseLostMerge(
  repo: MissionRepo,
  { target, head, env }: Composition,
  tip: string,
): Promise<void> {
  const merged = await mergeTrees(repo, target, head, env)
  const tree = await outputOf(
    libraryGit(repo, ['rev-parse', `${tip}^{tree}`], { env }),
    'cannot read a commit',
  )
  if ('tree' in merged && merged.tree === tree.trim()) return
  throw new AgencError(
    'a rebase would lose changes that were made in a merge',
    'Use --merge or --squash, which keep them.',
  )
}
