import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { getRepo } from '../db/repos.ts'
import { AgencError, usageError } from '../errors.ts'
import { cleanText } from '../io/text.ts'
import { askGit } from '../repo/git.ts'
import { expandHome } from '../repo/repo-source.ts'
import type { Checkout } from './checkout-branch.ts'
import { gitDirOf, isOwn, knownCheckouts } from './known-checkouts.ts'
import type { LandingWork } from './landing.ts'

/** The checkout that work is brought into: the one that the user names, the known one, or the one around them. */
export async function findCheckout(
  context: Context,
  db: Database,
  mission: MissionRecord,
  into: string | undefined,
): Promise<Checkout> {
  if (into !== undefined) {
    const path = resolve(context.cwd, expandHome(into, context.env))
    const given = checkoutAt(context, path)
    if (given === null)
      throw usageError(`${cleanText(path)} is not a git repo`, 'Name your checkout with --into.')
    return refuseOwn(context, mission, given)
  }
  const here = checkoutAt(context, context.cwd)
  const known = (await knownCheckouts(context, db, mission)).flatMap(path => checkoutAt(context, path) ?? [])
  // A worktree of the known checkout is meant if the user stands in it.
  if (here && known.some(({ gitDir }) => gitDir === here.gitDir)) return refuseOwn(context, mission, here)
  const isBare = ({ root, gitDir }: Checkout) => root === gitDir
  const found = known.find(checkout => !isBare(checkout)) ?? here ?? known[0]
  if (found) return refuseOwn(context, mission, found)
  throw usageError(
    `the checkout of ${mission.repo} is not known`,
    'Name it with --into <path>, or run this command inside of it.',
  )
}

function refuseOwn(context: Context, mission: MissionRecord, checkout: Checkout): Checkout {
  if (!isOwn(context, mission, checkout.root)) return checkout
  throw usageError(
    'this is the directory of the mission itself, or goes with it',
    'Name your own checkout with --into <path>.',
  )
}

function checkoutAt(context: Context, path: string): Checkout | null {
  const gitDir = gitDirOf(context, path)
  if (gitDir === null) return null
  const asked = askGit(context, ['rev-parse', '--show-toplevel'], { cwd: path })
  const root = asked.exitCode === 0 ? asked.stdout.replace(/\n$/, '') : gitDir
  return { root: realpathSync(root), gitDir: realpathSync(gitDir) }
}

/** A checkout is of the same repo if it has the first commit of the work, or the same origin. */
export function refuseOtherRepo(
  context: Context,
  db: Database,
  mission: MissionRecord,
  { repo, head }: LandingWork,
  { root, gitDir }: Checkout,
): void {
  const env = { gitDir: repo.library }
  const first = askGit(context, ['rev-list', '--max-parents=0', head], env).stdout.split('\n')
  const hasFirst = first.some(
    commit => commit !== '' && askGit(context, ['cat-file', '-e', commit], { gitDir }).exitCode === 0,
  )
  if (hasFirst) return
  const origin = askGit(context, ['config', '--get', 'remote.origin.url'], { gitDir }).stdout.trim()
  // A shallow clone does not have the first commit.
  if (origin !== '' && origin === getRepo(db, mission.repo!)?.url) return
  const isEmpty = askGit(context, ['rev-list', '--all', '--max-count=1'], { gitDir }).stdout === ''
  if (isEmpty && origin === '') return
  throw new AgencError(
    `${cleanText(root)} is not a checkout of ${mission.repo}`,
    'They have no commit in common. Name another one with --into <path>.',
  )
}
