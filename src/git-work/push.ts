import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Context, isInteractive } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { getRepo } from '../db/repos.ts'
import { AgencError, isCancelled, usageError } from '../errors.ts'
import { missionService } from '../mission/open-service.ts'
import { missionTitle } from '../mission/tell-done.ts'
import { shortId } from '../mission-id.ts'
import { hideCredentials } from '../repo/credentials.ts'
import { runGit } from '../repo/git.ts'
import { fetchUrlOf } from '../repo/library.ts'
import { isRefName } from '../repo/ref-names.ts'
import { withoutSecrets } from '../repo/reference.ts'
import { remotesOf } from '../repo/working-copy.ts'
import { baseBranch } from './base-branch.ts'
import { measureChanges } from './changes.ts'
import type { LandingWork } from './landing.ts'
import { libraryGit, type MissionRepo, ownGit, ownObjects } from './mission-repo.ts'
import { addressSaid, pullRequestAddress } from './pull-request-address.ts'
import { cutOff, pushFailed, serverLines } from './push-failure.ts'

export interface PushOptions {
  /** The name of the branch at the remote. Defaults to its name in the mission. */
  as?: string
  forceWithLease?: boolean
  /** Zero for no limit. */
  timeoutMs: number
  signal: AbortSignal
}

export interface Pushed {
  /** The name of the branch at the remote. */
  branch: string
  commit: string
  /** False if the remote had the commit already. */
  isNew: boolean
  /** The address of the remote, without a password. */
  url: string
  /** The page on which a pull request can be opened. */
  pullRequestUrl: string | null
}

/** Where a mission's branches go. */
export interface PushTarget {
  /** May contain a password. */
  url: string
  /** Where the library has the branches of that remote. */
  refs: 'refs/heads/' | 'refs/remotes/origin/'
}

/** The real origin, or the directory on this machine that the repo was added from if that has none. */
export function pushTarget(context: Context, db: Database, repoId: string, library: string): PushTarget {
  const fetchUrl = fetchUrlOf(context, library)
  const listed = getRepo(db, repoId)?.url ?? fetchUrl
  const { remoteUrl, localPath } = remotesOf(context, { id: repoId, url: listed, library })
  if (localPath !== undefined) return { url: remoteUrl, refs: 'refs/remotes/origin/' }
  return { url: fetchUrl, refs: 'refs/heads/' }
}

/**
 * Pushes a mission's work from the library, so that no setting or hook of the mission applies. The remote's answer decides:
 * only then do library and mission count it as pushed.
 */
export async function pushWork(
  context: Context,
  db: Database,
  mission: MissionRecord,
  work: LandingWork,
  options: PushOptions,
): Promise<Pushed> {
  const { repo, head } = work
  const target = pushTarget(context, db, mission.repo!, repo.library)
  const branch = await branchAtRemote(repo, mission, work, options.as)
  const lease = options.forceWithLease ? [await leaseFor(repo, target, branch)] : []
  tellOfLargeFiles(context, work)
  const { answer, said } = await push(context, mission, { repo, target, branch, head, lease, options })
  await remember(repo, target, work, branch)
  await store(context, db, mission, work, branch)
  const url = withoutSecrets(target.url)
  const pullRequestUrl = addressSaid(said) ?? pullRequestAddress(url, branch, await baseBranch(repo, mission))
  return { branch, commit: head, isNew: answer !== '=', url, pullRequestUrl }
}

/** Throws if the work would go to the base branch without the user having named it. */
export async function branchAtRemote(
  repo: MissionRepo,
  mission: MissionRecord,
  { branch }: LandingWork,
  as: string | undefined,
): Promise<string> {
  if (as !== undefined) {
    if (isRefName(as) && !as.startsWith('refs/')) return as
    throw usageError(
      `${JSON.stringify(as)} is not a valid name of a branch`,
      'Write it as in --as fix/login.',
    )
  }
  const asked = await libraryGit(repo, ['symbolic-ref', '--quiet', '--short', 'HEAD'])
  const bases = [mission.base_ref, await baseBranch(repo, mission), asked.stdout.trim()]
  if (!bases.includes(branch)) return branch
  throw usageError(
    `${missionTitle(mission)} works on ${branch} itself`,
    `Push its work to a branch of its own with --as <name>, or to ${branch} with --as ${branch}.`,
  )
}

/** The remote's branch may be overwritten only if it is as the mission saw it last. */
async function leaseFor(repo: MissionRepo, target: PushTarget, branch: string): Promise<string> {
  const args = ['rev-parse', '--quiet', '--verify']
  const known =
    ownObjects(repo) === null
      ? await libraryGit(repo, [...args, `${target.refs}${branch}`])
      : await ownGit(repo, [...args, `refs/remotes/origin/${branch}`])
  return `--force-with-lease=refs/heads/${branch}:${known.stdout.trim()}`
}

interface OnePush {
  repo: MissionRepo
  target: PushTarget
  branch: string
  head: string
  lease: readonly string[]
  options: PushOptions
}

/** Returns the sign that git prints before the ref, and the lines of the server. */
async function push(
  context: Context,
  mission: MissionRecord,
  { repo, target, branch, head, lease, options }: OnePush,
): Promise<{ answer: string; said: string[] }> {
  const { url, env } = hideCredentials(target.url)
  const timeout = options.timeoutMs === 0 ? null : AbortSignal.timeout(options.timeoutMs)
  const args = ['push', '--porcelain', '--no-verify', '--no-follow-tags', '--recurse-submodules=no']
  const showsProgress = context.err.isTerminal
  const about = { branch, url: withoutSecrets(target.url), id: shortId(mission.id), base: mission.base_ref }
  try {
    const pushed = await runGit(
      context,
      [
        ...args,
        ...(showsProgress ? ['--progress'] : []),
        ...lease,
        '--',
        url,
        `${head}:refs/heads/${branch}`,
      ],
      {
        gitDir: repo.library,
        env,
        config: ['advice.pushUpdateRejected=false'],
        mayPrompt: isInteractive(context),
        showsProgress,
        signal: timeout === null ? options.signal : AbortSignal.any([options.signal, timeout]),
      },
    )
    const said = serverLines(pushed.stderr)
    const [, answer, summary] = /^([ +\-*!=])\t[^\t]*\t(.*)$/m.exec(pushed.stdout) ?? []
    if (pushed.exitCode === 0 && answer !== undefined && answer !== '!') return { answer, said }
    throw pushFailed(pushed, summary, {
      ...about,
      said: showsProgress ? [] : said,
      mayPrompt: isInteractive(context),
      isForced: lease.length > 0,
    })
  } catch (error) {
    if (!isCancelled(error)) throw error
    const known = cutOff(about, timeout?.aborted && !options.signal.aborted ? options.timeoutMs : null)
    if (known.exitCode !== undefined) throw new AgencError(known.message, known.hint, known.exitCode)
    context.err.line(`agenc: ${known.message}. ${known.hint}`)
    throw error
  }
}

/** git lfs uploads its files in a hook, and agenc runs none. */
function tellOfLargeFiles(context: Context, { repo: { directory }, branch }: LandingWork): void {
  try {
    if (readdirSync(join(directory, '.git', 'lfs', 'objects')).length === 0) return
  } catch {
    return
  }
  context.err.line(
    `agenc: files in LFS are not uploaded by this. Upload them with: git -C ${directory} lfs push origin ${branch}`,
  )
}

/**
 * Library and mission know now that the remote has the commit. A failure is of no consequence, because the next fetch brings
 * the same.
 */
async function remember(
  repo: MissionRepo,
  target: PushTarget,
  { head, branch: own }: LandingWork,
  branch: string,
): Promise<void> {
  await libraryGit(repo, ['update-ref', `${target.refs}${branch}`, head])
  if (ownObjects(repo) === null) return
  await ownGit(repo, ['update-ref', `refs/remotes/origin/${branch}`, head])
  const config = join(repo.directory, '.git', 'config')
  // git would follow a link, and write the settings of another repo.
  if (!lstatSync(config, { throwIfNoEntry: false })?.isFile()) return
  const upstream = await ownGit(repo, ['config', '--local', '--get', `branch.${own}.merge`])
  if (upstream.exitCode === 0) return
  await ownGit(repo, ['config', '--local', `branch.${own}.remote`, 'origin'])
  await ownGit(repo, ['config', '--local', `branch.${own}.merge`, `refs/heads/${branch}`])
}

async function store(
  context: Context,
  db: Database,
  mission: MissionRecord,
  { repo, snapshot, head }: LandingWork,
  branch: string,
): Promise<void> {
  const changes = snapshot && (await measureChanges(repo, mission, snapshot, context.now()))
  missionService(context, db).change(mission.id, changes ? { changes: JSON.stringify(changes) } : {}, [
    'pushed',
    { branch, commit: head },
  ])
}
