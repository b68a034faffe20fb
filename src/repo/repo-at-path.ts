import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Context, isInteractive } from '../context.ts'
import type { Database } from '../db/open-store.ts'
import { Cancelled, usageError } from '../errors.ts'
import { confirm } from '../io/prompt.ts'
import { quoteForShell } from '../io/shell-quote.ts'
import { cleanText } from '../io/text.ts'
import { askWhetherTrusted } from './ask-trust.ts'
import { addRepo, notesOnAdded } from './catalogue.ts'
import { fetchUrlOf, findInLibrary, libraryPath } from './library.ts'
import { displayRepo, parseRemote, type Source } from './reference.ts'
import { repoAround, sourceOf } from './repo-source.ts'

export interface RepoAtPath {
  /** The repo's id in the library, or null if it was not added from this path. */
  id: string | null
  source: Source
}

/** Finds the repo that was added from a path. Throws if the path is no repo. */
export function findRepoAtPath(context: Context, ids: readonly string[], text: string): RepoAtPath {
  const source = sourceOf(context, text, context.cwd)
  const id = findInLibrary(context.paths.repos, source.id)
  const isSame = id !== undefined && ids.includes(id) && isFetchedFrom(context, id, source.fetchUrl)
  return { id: isSame ? id : null, source }
}

function isFetchedFrom(context: Context, id: string, path: string): boolean {
  const from = fetchUrlOf(context, libraryPath(context.paths.repos, id))
  return from === path || realPath(from) === realPath(path)
}

function realPath(path: string | undefined): string | undefined {
  try {
    return path === undefined ? undefined : realpathSync(path)
  } catch {
    return path
  }
}

/** The repo at a path, or around it. Offers to add a repo that is not in the library. */
export async function repoAtPath(
  context: Context,
  db: Database,
  ids: readonly string[],
  text: string,
): Promise<string> {
  const root = repoAround(context, text, context.cwd)
  const found = findRepoAtPath(context, ids, root)
  if (found.id !== null) return found.id
  if (!isInteractive(context)) throw notInLibrary(found, ids, isSamePath(context, root, text) ? text : root)
  const question = `${displayRepo(found.source.id)} is not in the library. Add it?`
  if (!(await confirm(context, question, true))) throw new Cancelled()
  const askTrust = () => askWhetherTrusted(context, found.source.id)
  const added = await addRepo(context, db, found.source, { trust: undefined, askTrust })
  for (const note of notesOnAdded(added)) context.err.line(note)
  return added.repo.id
}

function isSamePath(context: Context, root: string, text: string): boolean {
  return realPath(resolve(context.cwd, text)) === realPath(root)
}

export function notInLibrary({ source }: RepoAtPath, ids: readonly string[], text: string): Error {
  const path = /^[\w./~-]+$/.test(text) ? text : quoteForShell(text)
  const origin = idOfOrigin(source)
  const known = ids.find(id => id === origin)
  return usageError(
    `${cleanText(source.fetchUrl)} is not in the library`,
    [
      `Add it with 'agenc repo add ${path}'.`,
      ...(known ? [`The library has the repo that it was cloned from: ${displayRepo(known)}`] : []),
    ].join('\n'),
  )
}

function idOfOrigin({ url, fetchUrl }: Source): string | null {
  try {
    return url === fetchUrl ? null : parseRemote(url).id
  } catch {
    return null
  }
}
