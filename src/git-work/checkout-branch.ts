import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { AgencError } from '../errors.ts'
import { withLock } from '../io/lock.ts'
import { cleanText } from '../io/text.ts'
import { askGit, gitArguments, gitEnvironment, gitFailed, gitReason } from '../repo/git.ts'
import { notThereYet, removeAdded } from './added-files.ts'
import { someFiles, underWay } from './landing.ts'

/** A repo of the user's own. */
export interface Checkout {
  /** The top directory of its working tree, or the bare repo. */
  root: string
  /** Shared by all worktrees. */
  gitDir: string
}

/** A branch from one commit to another. */
export interface BranchStep {
  from: string | null
  to: string
}

/** Null if HEAD is detached. */
export function currentBranch(context: Context, { root }: Checkout): string | null {
  const asked = askGit(context, ['symbolic-ref', '--quiet', '--short', 'HEAD'], { cwd: root })
  return asked.exitCode === 0 ? asked.stdout.trim() : null
}

export function commitOf(context: Context, { gitDir }: Checkout, branch: string): string | null {
  const asked = askGit(context, ['rev-parse', '--quiet', '--verify', `refs/heads/${branch}^{commit}`], {
    gitDir,
  })
  return asked.exitCode === 0 ? asked.stdout.trim() : null
}

/** The worktree that has a branch checked out. Null if none has, or if its directory was deleted. */
export function worktreeOn(context: Context, { gitDir }: Checkout, branch: string): string | null {
  const listed = askGit(context, ['worktree', 'list', '--porcelain', '-z'], { gitDir })
  if (listed.exitCode !== 0) throw gitFailed('cannot list the worktrees', listed)
  const found = listed.stdout
    .split('\0\0')
    .map(entry => entry.split('\0'))
    .filter(lines => !lines.some(line => /^(bare$|prunable)/.test(line)))
    .find(lines => lines.includes(`branch refs/heads/${branch}`))
  return found?.find(line => line.startsWith('worktree '))?.slice('worktree '.length) ?? null
}

/** Throws if the files of a branch that is checked out have changes. */
export function refuseDirty(context: Context, checkout: Checkout, branch: string): void {
  const worktree = worktreeOn(context, checkout, branch)
  if (worktree === null) return
  if (!existsSync(worktree))
    throw new AgencError(
      `${branch} is checked out in ${cleanText(worktree)}, which is not there`,
      'Bring that directory back, or unlock it with: git worktree unlock',
    )
  const own = askGit(context, ['rev-parse', '--absolute-git-dir'], { cwd: worktree }).stdout.replace(
    /\n$/,
    '',
  )
  const operation = underWay(own)
  if (operation)
    throw new AgencError(
      `${cleanText(worktree)} is in the middle of a ${operation}`,
      'Finish it, then try again.',
    )
  const status = [
    'status',
    '--porcelain=v1',
    '-z',
    '--no-renames',
    '--untracked-files=no',
    '--ignore-submodules=dirty',
  ]
  const listed = askGit(context, status, { cwd: worktree })
  if (listed.exitCode !== 0) throw gitFailed(`cannot look at ${cleanText(worktree)}`, listed)
  const paths = listed.stdout
    .split('\0')
    .filter(entry => entry !== '')
    .map(entry => entry.slice(3))
  if (paths.length > 0)
    throw new AgencError(
      `${cleanText(worktree)} has uncommitted changes in ${someFiles(paths)}`,
      [
        ...paths.slice(0, 20).map(path => `  ${cleanText(path)}`),
        'Commit or stash them, then try again.',
      ].join('\n'),
    )
}

/**
 * Moves a branch and, if it is checked out, its files. A branch that moved in the meantime, or a file in the way, changes
 * nothing. Two merges at once would mix their files, so only one process at a time may do this.
 */
export async function moveForward(
  context: Context,
  checkout: Checkout,
  branch: string,
  step: BranchStep,
): Promise<void> {
  await withLock(
    join(checkout.gitDir, 'agenc-pull'),
    () => {
      if (commitOf(context, checkout, branch) !== step.from) throw hasMoved(branch, checkout)
      const worktree = worktreeOn(context, checkout, branch)
      if (worktree === null) moveRef(context, checkout, branch, step)
      else {
        refuseDirty(context, checkout, branch)
        moveFiles(context, worktree, step)
      }
    },
    { isLong: true },
  )
}

function hasMoved(branch: string, { root }: Checkout): AgencError {
  return new AgencError(`${branch} in ${cleanText(root)} has just changed`, 'Nothing was changed. Try again.')
}

function moveRef(
  context: Context,
  { root, gitDir }: Checkout,
  branch: string,
  { from, to }: BranchStep,
): void {
  const old = from ?? '0'.repeat(to.length)
  const args = ['update-ref', '-m', 'agenc mission pull', `refs/heads/${branch}`, to, old]
  const done = askGit(context, args, { gitDir })
  if (done.exitCode !== 0) throw gitFailed(`cannot move ${branch} in ${cleanText(root)}`, done)
}

function moveFiles(context: Context, worktree: string, { from, to }: BranchStep): void {
  const git = (...args: string[]) =>
    context.exec.capture('git', gitArguments(args), {
      cwd: worktree,
      env: gitEnvironment(context.env, { mayPrompt: false }),
    })
  const added = notThereYet(worktree, addedFiles(context, worktree, { from, to }))
  // Files that git ignores may be precious all the same.
  const done = git('merge', '--ff-only', '--no-stat', '--no-overwrite-ignore', to)
  if (done.exitCode === 0) return
  // A full disk or Ctrl-C stops git between two files. All of them were unchanged before.
  removeAdded(worktree, added)
  if (from !== null && git('diff', '--quiet', 'HEAD').exitCode === 1) git('reset', '--quiet', '--hard', from)
  throw new AgencError(
    `cannot bring the work into ${cleanText(worktree)}: ${gitReason(done)}`,
    filesInTheWay(done.stderr) ?? 'Nothing was changed. Try again.',
  )
}

function addedFiles(context: Context, worktree: string, { from, to }: BranchStep): string[] {
  const names = ['-r', '-z', '--name-only']
  const args =
    from === null
      ? ['ls-tree', ...names, '--full-tree', to]
      : ['diff-tree', ...names, '--no-renames', '--diff-filter=A', from, to]
  const listed = askGit(context, args, { cwd: worktree })
  if (listed.exitCode !== 0) throw gitFailed('cannot list the new files', listed)
  return listed.stdout.split('\0').filter(path => path !== '')
}

function filesInTheWay(said: string): string | undefined {
  const files = said
    .split('\n')
    .filter(line => line.startsWith('\t'))
    .map(line => `  ${cleanText(line)}`)
  return files.length === 0
    ? undefined
    : [...files, 'Move these files away, then try again. Nothing was changed.'].join('\n')
}
