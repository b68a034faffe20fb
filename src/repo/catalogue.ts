import { readConfig } from '../config/read.ts'
import { configuredRepos } from '../config/repo-names.ts'
import { type Context, isInteractive } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { missionsOnRepo } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import {
  deleteRepo,
  getRepo,
  insertRepo,
  listRepos,
  listReposByUse,
  type RepoRecord,
  setRepoDefault,
  setRepoTrusted,
  setRepoUpdated,
  setRepoUsed,
} from '../db/repos.ts'
import { readStore } from '../db/with-store.ts'
import { AgencError } from '../errors.ts'
import { diskUse } from '../io/disk-size.ts'
import { writeFileAtomically } from '../io/files.ts'
import { cleanText } from '../io/text.ts'
import { interruptible } from '../system/signals.ts'
import { addToLibrary, fetchUrlOf, findInLibrary, libraryPath, removeFromLibrary } from './library.ts'
import { displayRepo, type Source } from './reference.ts'
import { currentUrl } from './repo-source.ts'
import { AlreadyThere } from './staging.ts'
import { baseLabel, defaultBase, hasDefault } from './start-point.ts'

export interface AddedRepo {
  repo: RepoRecord
  /** The repo was in the library before. */
  wasThere: boolean
}

/**
 * Clones a repo into the library and lists it. A repo that is already there is not changed, except that `trust`,
 * if given, applies to it. `askTrust` is called for a new repo without a given `trust`, before the clone starts, so that
 * the user does not wait for the question. It may return null, which leaves the question open.
 */
export async function addRepo(
  context: Context,
  db: Database,
  source: Source,
  { trust, askTrust }: { trust: boolean | undefined; askTrust: () => Promise<boolean | null> },
): Promise<AddedRepo> {
  const id = findInLibrary(context.paths.repos, source.id)
  if (id !== undefined) refuseNamesake(context, id, source)
  if (id !== undefined && getRepo(db, id)) {
    if (trust !== undefined) trustRepo(context, db, id, trust)
    return { repo: getRepo(db, id)!, wasThere: true }
  }
  const trusted = trust ?? (await askTrust())
  // A process that was killed between cloning and listing leaves a repo that only needs to be listed.
  if (id !== undefined) return { repo: listRepo(context, db, { ...source, id }, trusted), wasThere: false }
  return interruptible(async signal => {
    const wasThere = await cloneUnlessThere(context, source, signal)
    return { repo: listRepo(context, db, source, trusted), wasThere }
  })
}

/** Two local directories can share the names of parent and directory; two remotes cannot share an id. */
function refuseNamesake(context: Context, id: string, source: Source): void {
  if (!id.startsWith('local/')) return
  const other = fetchUrlOf(context, libraryPath(context.paths.repos, id))
  if (other === source.fetchUrl) return
  throw new AgencError(
    `${id} is already in the library, from ${other}`,
    `Rename one of the directories, or remove the other repo: agenc repo rm ${id}`,
  )
}

async function cloneUnlessThere(context: Context, source: Source, signal: AbortSignal): Promise<boolean> {
  const showsProgress = context.err.isTerminal
  const mayPrompt = isInteractive(context)
  try {
    await addToLibrary(context, context.paths.repos, source, { signal, showsProgress, mayPrompt })
    return false
  } catch (error) {
    if (error instanceof AlreadyThere) return true
    throw error
  }
}

function listRepo(context: Context, db: Database, { id, url }: Source, trusted: boolean | null): RepoRecord {
  const at = context.now().toISOString()
  const stored = trusted === null ? null : trusted ? 1 : 0
  insertRepo(db, { id, url, trusted: stored, added_at: at, updated_at: at })
  noteDefault(context, db, id)
  writeRepoChoices(context, db)
  return getRepo(db, id)!
}

/** Messages to the user about a repo that was just added. */
export function notesOnAdded({ repo, wasThere }: AddedRepo): string[] {
  const name = displayRepo(repo.id)
  return [
    ...(wasThere ? [`${name} is already in the library.`] : []),
    ...(repo.trusted === 1 ? [] : [`None of its programs run until you trust it: agenc repo trust ${name}`]),
  ]
}

export function trustRepo(context: Context, db: Database, id: string, trusted: boolean): RepoRecord {
  setRepoTrusted(db, id, trusted)
  writeRepoChoices(context, db)
  return getRepo(db, id)!
}

/** Records that a repo was just fetched, with the origin that it has now, and returns the time. */
export function markUpdated(context: Context, db: Database, id: string): string {
  const at = context.now().toISOString()
  const url = currentUrl(context, fetchUrlOf(context, libraryPath(context.paths.repos, id)))
  setRepoUpdated(db, id, url, at)
  noteDefault(context, db, id)
  writeRepoChoices(context, db)
  return at
}

function noteDefault({ exec, env, paths }: Context, db: Database, id: string): void {
  const repo = { exec, env, id, path: libraryPath(paths.repos, id) }
  setRepoDefault(db, id, hasDefault(repo) ? defaultBase(repo) : null)
}

/** Removes a repo from the list and then its files. Removes nothing, and returns the missions, if any are on it. */
export async function removeRepo(context: Context, db: Database, id: string): Promise<MissionRecord[]> {
  const missions = db
    .transaction(() => {
      const found = missionsOnRepo(db, id)
      if (found.length === 0) deleteRepo(db, id)
      return found
    })
    .immediate()
  if (missions.length > 0) return missions
  writeRepoChoices(context, db)
  await removeFromLibrary(context.paths.repos, id)
  return []
}

export interface RepoChoice {
  /** Null for a blank mission. */
  repo: string | null
  label: string
  /** Its default branch, as `main@b090269`, and when that was fetched. */
  base: { label: string; at: string } | null
}

/** Records that a mission is started on a repo, and moves the repo to the top of the pickers. */
export function markUsed(context: Pick<Context, 'paths' | 'now'>, db: Database, id: string): void {
  setRepoUsed(db, id, context.now().toISOString())
  writeRepoChoices(context, db)
}

/** The choices for a new mission, in the order shown. */
export function repoChoices(db: Database): RepoChoice[] {
  const repos = listReposByUse(db).map(repo => ({
    repo: repo.id,
    label: displayRepo(repo.id),
    base: baseOf(repo),
  }))
  return [...repos, { repo: null, label: '(blank)', base: null }]
}

function baseOf({ default_branch: ref, default_commit: commit, updated_at }: RepoRecord): RepoChoice['base'] {
  return ref === null || commit === null ? null : { label: baseLabel({ ref, commit }), at: updated_at }
}

/** Writes the choices to a file, from which the picker behind the key reads them without starting Node. */
export function writeRepoChoices({ paths }: Pick<Context, 'paths'>, db: Database): void {
  const lines = repoChoices(db).map(({ repo, label, base }) => {
    const facts = base === null ? [] : [cleanText(base.label), Math.floor(Date.parse(base.at) / 1000)]
    return `${[repo ?? '--blank', label, ...facts].join('\t')}\n`
  })
  writeFileAtomically(paths.repoChoices, lines.join(''))
}

/** All repos in the library or in the settings. Skips a source that cannot be read. */
export async function knownRepoIds(context: Context): Promise<string[]> {
  const stored = await readStore(context, db => (db ? listRepos(db).map(({ id }) => id) : [])).catch(() => [])
  const configured = await readConfig(context.paths).then(configuredRepos, () => [])
  return [...new Set([...stored, ...configured])]
}

export interface RepoJson {
  id: string
  url: string
  path: string
  /** Null if the user was never asked. */
  trusted: boolean | null
  missions: number
  /** The disk space of its files in the library. */
  disk_bytes: number
  added_at: string
  updated_at: string
}

export function repoJson({ paths }: Context, repo: RepoRecord, missions: number): RepoJson {
  return {
    id: repo.id,
    url: repo.url,
    path: libraryPath(paths.repos, repo.id),
    trusted: repo.trusted === null ? null : repo.trusted === 1,
    missions,
    disk_bytes: diskUse([libraryPath(paths.repos, repo.id)]).bytes,
    added_at: repo.added_at,
    updated_at: repo.updated_at,
  }
}
