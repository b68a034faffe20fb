import { existsSync } from 'node:fs'
import { type Context, isInteractive } from '../context.ts'
import type { Database } from '../db/open-store.ts'
import type { RepoRecord } from '../db/repos.ts'
import { AgencError, isAgencError, isCancelled, usageError } from '../errors.ts'
import type { MissionId } from '../mission-id.ts'
import { freshen } from '../repo/freshen.ts'
import { libraryPath } from '../repo/library.ts'
import { fetchPullRequest, type PullRequest, pageOf, pullRequestRefs } from '../repo/pull-request.ts'
import { isRefName } from '../repo/ref-names.ts'
import { displayRepo } from '../repo/reference.ts'
import { commitOf, findBase, hasDefault, type LibraryRepo } from '../repo/start-point.ts'
import { interruptible } from '../system/signals.ts'
import { type CopyOrder, decideStart } from './copy-order.ts'

/** What the user asked for about the start of a mission on a repo. */
export interface StartWish {
  base?: string
  branch?: string
  pr?: string
  offline?: boolean
}

/** Throws if the options contradict each other or can be no names, without looking at any repo. */
export function refuseBadStart(
  { base, branch, pr, offline }: StartWish,
  { isOnRepo }: { isOnRepo: boolean },
): void {
  const given = Object.entries({ base, branch, pr, offline }).filter(([, value]) => value !== undefined)
  if (!isOnRepo && given.length > 0)
    throw usageError(
      `--${given[0]![0]} needs a repo`,
      'A mission with --blank, --clone or --dir starts on what is there.',
    )
  if (pr !== undefined && (base ?? branch) !== undefined)
    throw usageError(
      `--pr and --${base === undefined ? 'branch' : 'base'} exclude each other`,
      'A pull request names its own head.',
    )
  if (pr !== undefined && !/^[1-9]\d{0,9}$/.test(pr))
    throw usageError(`${JSON.stringify(pr)} is not the number of a pull request`, 'Write it as in --pr 12.')
  if (base !== undefined && base !== 'HEAD' && !isRefName(base))
    throw usageError(
      `${JSON.stringify(base)} is not the name of a branch, a tag or a commit`,
      'Write it as in --base main, --base v1.2 or --base b090269.',
    )
  if (branch !== undefined && !isRefName(branch))
    throw usageError(
      `${JSON.stringify(branch)} is not a valid name of a branch`,
      'Write it as in --branch fix/login.',
    )
}

/** The user waits for this fetch, because the mission cannot start without it. */
const fetchLimitMs = { interactive: 600_000, otherwise: 60_000 }

/**
 * Throws if the mission could not start, before anything is created. A base that the library does not have is fetched
 * first.
 */
export async function checkStart(
  context: Context,
  db: Database,
  repo: string,
  order: CopyOrder,
  id: MissionId,
): Promise<void> {
  const library = libraryRepo(context, repo)
  if (!order.isOffline && !hasBase(library, order.base)) {
    const problem = await fetchNow(context, db, repo)
    if (problem !== null && order.base !== null && !hasBase(library, order.base))
      throw new AgencError(
        `the library does not have ${JSON.stringify(order.base)} of ${displayRepo(repo)}, and it cannot be fetched: ${problem}`,
        `Check that git can reach it: agenc repo update ${displayRepo(repo)}`,
      )
  }
  decideStart(library, order, id)
}

/** True for a repo without commits, too: the wrapper fetches in any case. */
function hasBase(library: LibraryRepo, base: string | null): boolean {
  return base === null ? hasDefault(library) : findBase(library, base) !== null
}

export function libraryRepo({ exec, env, paths }: Context, repo: string): LibraryRepo {
  const path = libraryPath(paths.repos, repo)
  if (existsSync(path)) return { exec, env, id: repo, path }
  throw new AgencError(
    `the files of ${displayRepo(repo)} are missing from the library`,
    "Run 'agenc repo add' again.",
  )
}

/** Fetches the head of a pull request. If that is not possible, the library may have it from before. */
export async function findPullRequest(
  context: Context,
  { id, url }: RepoRecord,
  number: number,
  isOffline: boolean,
): Promise<PullRequest> {
  const library = libraryRepo(context, id)
  const problem = isOffline
    ? 'nothing is fetched with --offline'
    : await fetchHead(context, library, url, number)
  if (typeof problem !== 'string') return problem
  const ref = pullRequestRefs(number).find(ref => commitOf(library, ref) !== null)
  if (ref === undefined)
    throw new AgencError(
      `pull request ${number} of ${displayRepo(id)} is not in the library: ${problem}`,
      isOffline ? 'Omit --offline.' : `Check that git can reach it: agenc repo update ${displayRepo(id)}`,
    )
  if (!isOffline) context.err.line(`agenc: ${problem}; starting on pull request ${number} as fetched before`)
  return { number, ref, url: pageOf(url, ref, number) }
}

/** Resolves to the reason if no server can be reached. */
async function fetchHead(
  context: Context,
  library: LibraryRepo,
  url: string,
  number: number,
): Promise<PullRequest | string> {
  const { timeoutMs, ...options } = fetchOptions(context)
  const limit = AbortSignal.timeout(timeoutMs)
  if (options.showsProgress) context.err.line(`agenc: fetching pull request ${number}`)
  try {
    const found = await interruptible(signal =>
      fetchPullRequest(library, number, url, { ...options, signal: AbortSignal.any([signal, limit]) }).catch(
        error => {
          if (limit.aborted && !signal.aborted) return `cannot reach origin within ${timeoutMs / 1000} s`
          throw error
        },
      ),
    )
    if (found !== null) return found
  } catch (error) {
    if (isCancelled(error) || !isAgencError(error)) throw error
    return error.message
  }
  throw new AgencError(
    `${displayRepo(library.id)} has no pull request ${number}`,
    `Its remote has neither ${pullRequestRefs(number).join(' nor ')}.`,
  )
}

function fetchOptions(context: Context) {
  const mayPrompt = isInteractive(context)
  const timeoutMs = mayPrompt ? fetchLimitMs.interactive : fetchLimitMs.otherwise
  return { mayPrompt, timeoutMs, showsProgress: context.err.isTerminal }
}

function fetchNow(context: Context, db: Database, repo: string): Promise<string | null> {
  const options = fetchOptions(context)
  if (options.showsProgress) context.err.line(`agenc: fetching ${displayRepo(repo)}`)
  return interruptible(signal => freshen(context, db, repo, { signal, ...options }))
}
