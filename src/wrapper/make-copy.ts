import { existsSync } from 'node:fs'
import type { Config } from '../config/schema.ts'
import type { MissionRecord } from '../db/missions.ts'
import { getRepo } from '../db/repos.ts'
import { AgencError, errorCode, isCancelled } from '../errors.ts'
import { explainFailure } from '../io/explain-failure.ts'
import { age } from '../io/relative-time.ts'
import { type CopyOrder, type DecidedStart, decideStart } from '../mission/copy-order.ts'
import { repoConfig } from '../mission/effective-settings.ts'
import { shortId } from '../mission-id.ts'
import { freshen } from '../repo/freshen.ts'
import { libraryPath } from '../repo/library.ts'
import { displayRepo } from '../repo/reference.ts'
import { type Base, baseLabel, findBase } from '../repo/start-point.ts'
import { createWorkingCopy, remotesOf } from '../repo/working-copy.ts'
import { alertUser } from './before-claude.ts'
import type { Run } from './run-mission.ts'
import { onEndingSignal } from './signal-policy.ts'

/** How long the wrapper's own signal may come after that of a git in the same terminal. */
const ownSignalMs = 1_000
/** After this time, a mission that was created but did not start counts as resumed. */
const momentMs = 60_000

/**
 * Makes the working copy of a new mission: fetches the repo into the library, copies it from there, and adds the
 * files that git does not carry. A wrapper that is ended or killed on the way leaves the order in the store, and the next
 * one starts again.
 */
export async function makeOrderedCopy(run: Run, mission: MissionRecord, config: Config): Promise<void> {
  const { context, missions, signals } = run
  const { id, repo, copy_pending } = mission
  const { agent } = context.paths.mission(id)
  if (copy_pending === null || repo === null || signals.received !== null) return
  const givenUp = new AbortController()
  signals.listen(() => {
    if (onEndingSignal('before') === 'give-up') givenUp.abort()
  })
  try {
    const { signal } = givenUp
    // The copy appears in one step, and everything about it is stored before that.
    if (!existsSync(agent)) await makeCopy(run, mission, repo, JSON.parse(copy_pending), config, signal)
    const { copyIncluded } = await import('../repo/include-files.ts')
    const settings = repoConfig(repo, config)
    await copyIncluded(context, { repo, settings, directory: agent, isNew: true, signal })
    missions.change(id, { copy_pending: null })
  } catch (error) {
    if (isCancelled(error)) await signals.arrivesWithin(ownSignalMs)
    if (signals.received === null) throw withAdvice(run, error)
  }
}

async function makeCopy(
  run: Run,
  mission: MissionRecord,
  repo: string,
  order: CopyOrder,
  config: Config,
  signal: AbortSignal,
): Promise<void> {
  const { context, db, missions } = run
  const { id } = mission
  const path = libraryPath(context.paths.repos, repo)
  if (!existsSync(path) || !getRepo(db, repo))
    throw new AgencError(`${repo} is no longer in the library`, 'Add it again with: agenc repo add')
  const library = { exec: context.exec, env: context.env, id: repo, path }
  const before = order.base === null ? null : findBase(library, order.base)
  const problem = order.isOffline ? null : await fetchRepo(run, mission, repo, config, signal)
  if (before !== null && findBase(library, order.base!) === null) throw baseIsGone(repo, before)
  const decided = decideStart(library, order, id)
  const { url, trusted, updated_at } = getRepo(db, repo)!
  if (problem !== null) tellStale(run, mission, problem, decided, updated_at)
  await createWorkingCopy({
    exec: context.exec,
    env: context.env,
    source: path,
    destination: context.paths.mission(id).agent,
    ...remotesOf(context, { id: repo, url, library: path }),
    start: decided.start,
    trusted: trusted === 1,
    signal,
    beforePlaced: () =>
      missions.change(id, {
        branch: decided.start.branch,
        base_ref: decided.base?.ref ?? null,
        base_commit: decided.base?.commit ?? null,
        base_at: decided.base === null ? null : updated_at,
      }),
  })
}

function baseIsGone(repo: string, { ref, commit }: Base): AgencError {
  const name = displayRepo(repo)
  const last = commit.slice(0, 12)
  return new AgencError(
    `${name} no longer has ${JSON.stringify(ref)}`,
    `It was at ${last}. To start there: agenc mission new ${name} --base ${last}`,
  )
}

/** Resolves to the reason if the repo cannot be fetched. */
async function fetchRepo(
  { context, db }: Run,
  { created_at }: MissionRecord,
  repo: string,
  { repos }: Config,
  signal: AbortSignal,
): Promise<string | null> {
  if (repos.fetch_timeout === 0) return null
  const isNew = context.now().getTime() - Date.parse(created_at) < momentMs
  // Of missions that are started together, one fetches for all.
  if (isNew && getRepo(db, repo)!.updated_at >= created_at) return null
  const showsProgress = context.err.isTerminal
  if (showsProgress) context.err.line(`agenc: fetching ${displayRepo(repo)}`)
  return freshen(context, db, repo, { signal, showsProgress, timeoutMs: repos.fetch_timeout * 1000 })
}

function tellStale(
  run: Run,
  mission: MissionRecord,
  problem: string,
  { base }: DecidedStart,
  fetchedAt: string,
): void {
  const place = base === null ? 'an empty repo' : baseLabel(base)
  const start = `${place}, fetched ${age(fetchedAt, run.context.now())} ago`
  run.context.err.line(`agenc: ${problem}; starting on ${start}`)
  alertUser(run, mission, `starts on ${start}: ${problem}`)
}

function withAdvice({ context, id }: Run, error: unknown): Error {
  if (isCancelled(error)) return new AgencError('git was interrupted', retry(id))
  const { message, hint, isKnown } = explainFailure(error, context.paths.home)
  if (!isKnown && errorCode(error) === undefined) return error as Error
  return new AgencError(message, [hint, retry(id)].filter(Boolean).join('\n'))
}

function retry(id: MissionRecord['id']): string {
  return `Nothing was created. To try again: agenc mission resume ${shortId(id)}`
}
