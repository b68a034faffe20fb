import { readConfig } from '../../config/read.ts'
import type { Config } from '../../config/schema.ts'
import { type Context, isInteractive } from '../../context.ts'
import type { MissionRecord } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { getRepo, listRepos } from '../../db/repos.ts'
import { usageError } from '../../errors.ts'
import { age } from '../../io/relative-time.ts'
import { findPullRequest, refuseBadStart } from '../../mission/check-start.ts'
import { createMission, type MissionWish } from '../../mission/create.ts'
import type { DirectorySource } from '../../mission/directory.ts'
import { parseApprove } from '../../mission/effective-settings.ts'
import { firstPrompt } from '../../mission/first-prompt.ts'
import type { HeadlessLimits } from '../../mission/headless-limits.ts'
import { missionName } from '../../mission/naming.ts'
import { type MissionId, shortId } from '../../mission-id.ts'
import { resolveRepo } from '../../repo/choose-repo.ts'
import type { PullRequest } from '../../repo/pull-request.ts'
import { looksLikePath } from '../../repo/reference.ts'

/** The arguments and options of `mission new`. */
export interface NewInput {
  repo?: string
  blank?: boolean
  clone?: string
  base?: string
  branch?: string
  pr?: string
  offline?: boolean
  dir?: string
  force?: boolean
  prompt?: string
  name?: string
  permissionMode?: string
  approve?: string
  model?: string
  mayAnswer?: boolean
  focus?: boolean
  detach?: boolean
  here?: boolean
  form?: boolean
  headless?: boolean
  timeout?: string
  askTimeout?: string
  wait?: boolean
  foreach?: string
  maxRunning?: string
  json?: boolean
}

/** Creates the mission that these options describe. */
export async function createFrom(
  context: Context,
  db: Database,
  input: NewInput,
  { source, repo, parentId }: Chosen,
): Promise<MissionRecord> {
  refuseBadStart(input, { isOnRepo: source.kind === 'repo' })
  if (input.headless) await refuseHeadless(context, input, source, repo, await readConfig(context.paths))
  const pullRequest =
    repo === null || input.pr === undefined
      ? null
      : await findPullRequest(context, getRepo(db, repo)!, Number(input.pr), input.offline ?? false)
  return createMission(context, db, {
    source,
    repo,
    copy: source.kind === 'repo' ? copyWish(input, pullRequest) : null,
    pullRequest,
    parentId,
    name: input.name === undefined ? null : missionName(input.name),
    permissionMode: input.permissionMode ?? null,
    approve: input.approve === undefined ? null : parseApprove(input.approve),
    model: input.model ?? null,
    mayAnswer: input.mayAnswer ?? false,
    prompt: firstPrompt(input.prompt),
    headless: input.headless ? await limitsIn(input) : null,
    about: null,
    forkedSessionId: null,
  })
}

export async function limitsIn(input: NewInput): Promise<HeadlessLimits | null> {
  const { headlessLimits } = await import('../../mission/headless-wish.ts')
  return headlessLimits(input)
}

export async function refuseHeadless(
  context: Context,
  { permissionMode, force }: NewInput,
  source: DirectorySource,
  repo: string | null,
  config: Config,
): Promise<void> {
  const { modeOfNew, refusePlanMode, refuseUntrusted } = await import('../../mission/headless-wish.ts')
  refusePlanMode(modeOfNew(permissionMode ?? null, repo, config), force ?? false)
  refuseUntrusted(context, source)
}

function copyWish({ base, branch, offline }: NewInput, pullRequest: PullRequest | null): MissionWish['copy'] {
  const name = pullRequest === null ? branch : `pr-${pullRequest.number}`
  return {
    base: base ?? null,
    ...(name === undefined ? {} : { branch: name }),
    isNamed: branch !== undefined,
    pullRequest: pullRequest?.ref ?? null,
    isOffline: offline ?? false,
  }
}

export interface Chosen {
  source: DirectorySource
  repo: string | null
  parentId: MissionId | null
}

export async function chooseSource(context: Context, db: Database, input: NewInput): Promise<Chosen> {
  if (input.dir !== undefined) {
    const { givenDirectory, repoAddedFrom } = await import('../../mission/given-directory.ts')
    const mayBeShared = input.force ?? false
    const path = givenDirectory(context, input.dir, { isForced: mayBeShared })
    return {
      source: { kind: 'dir', path, mayBeShared },
      repo: repoAddedFrom(context, db, path),
      parentId: null,
    }
  }
  if (input.clone !== undefined) {
    const { chooseMission } = await import('../../mission/choose.ts')
    const original = await chooseMission(context, db, input.clone)
    const { requireDirectory } = await import('../../git-work/rebuild-directory.ts')
    requireDirectory(context, original)
    const { copyOf } = await import('../../mission/copied-mission.ts')
    return { source: copyOf(context, original), repo: original.repo, parentId: original.id }
  }
  const repo = input.blank ? null : await chooseRepo(context, db, input.repo)
  if (repo === null) return { source: { kind: 'blank' }, repo: null, parentId: null }
  const isTrusted = getRepo(db, repo)!.trusted === 1
  return { source: { kind: 'repo', id: repo, isTrusted }, repo, parentId: null }
}

/** The directory of a mission stands for the mission's repo. */
async function repoAt(
  context: Context,
  db: Database,
  known: readonly string[],
  path: string,
): Promise<string> {
  const { missionAtPath } = await import('../../mission/mission-at-path.ts')
  const mission = missionAtPath(context, db, path)
  if (mission?.repo) return mission.repo
  if (mission)
    throw usageError(
      `${JSON.stringify(path)} is the directory of a blank mission`,
      `Copy it with: agenc mission new --clone ${shortId(mission.id)}`,
    )
  const { repoAtPath } = await import('../../repo/repo-at-path.ts')
  return repoAtPath(context, db, known, path)
}

/** Resolves to null if a blank mission was picked. */
async function chooseRepo(context: Context, db: Database, word: string | undefined): Promise<string | null> {
  if (word !== undefined) {
    const known = listRepos(db).map(({ id }) => id)
    return looksLikePath(word) ? repoAt(context, db, known, word) : resolveRepo(word, known)
  }
  if (!isInteractive(context))
    throw usageError('No repo given.', "Name one, or pass --blank; 'agenc repo ls' lists them.")
  const { pick } = await import('../../io/picker.ts')
  const { repoChoices } = await import('../../repo/catalogue.ts')
  const now = context.now()
  const choices = repoChoices(db).map(({ repo, label, base }) => ({
    value: repo,
    cells: [label, base === null ? '' : `${base.label}, ${age(base.at, now)} old`],
  }))
  return pick(context, 'New mission: pick a repo', choices)
}
