import { type Context, isInteractive } from '../context.ts'
import { AgencError, usageError } from '../errors.ts'
import { pick } from '../io/picker.ts'
import { cleanText } from '../io/text.ts'
import { looksLikePath, parseReference } from './reference.ts'

/** The repo that the user named, or one from a picker if they named none and there is a terminal. */
export async function chooseRepo<R extends { id: string }>(
  context: Context,
  repos: readonly R[],
  word: string | undefined,
  title: string,
): Promise<R> {
  if (word !== undefined) {
    const ids = repos.map(repo => repo.id)
    const id = await resolveRepoOrPath(context, word, ids)
    return repos.find(repo => repo.id === id)!
  }
  if (!isInteractive(context)) throw usageError('no repo given', "Name a repo; 'agenc repo ls' lists them.")
  if (repos.length === 0) throw new AgencError('the library is empty', "Add a repo with 'agenc repo add'.")
  return pick(
    context,
    title,
    repos.map(repo => ({ value: repo, cells: [repo.id] })),
  )
}

/** Like `resolveRepo`, but also takes the path that a repo was added from. */
export async function resolveRepoOrPath(
  context: Context,
  word: string,
  ids: readonly string[],
): Promise<string> {
  if (!looksLikePath(word)) return resolveRepo(word, ids)
  const { findRepoAtPath, notInLibrary } = await import('./repo-at-path.ts')
  const found = findRepoAtPath(context, ids, word)
  if (found.id === null) throw notInLibrary(found, ids, word)
  return found.id
}

const mostCandidates = 8

/** Takes a full id, its last parts (`owner/name`, `name`) if they are unique, or the address that it was added by. */
export function resolveRepo(word: string, ids: readonly string[]): string {
  const wanted = word.toLowerCase().replace(/\.git$/, '')
  const exact = ids.find(id => id.toLowerCase() === wanted)
  if (exact) return exact
  const matches = ids.filter(id => id.toLowerCase().endsWith(`/${wanted}`))
  if (matches.length === 1) return matches[0]!
  const shown = JSON.stringify(cleanText(word))
  if (matches.length > 1) throw usageError(`${shown} matches ${matches.length} repos`, candidates(matches))
  const addressed = byAddress(word, ids)
  if (addressed) return addressed
  throw usageError(`no repo ${shown} in the library`, candidates(ids))
}

function byAddress(word: string, ids: readonly string[]): string | undefined {
  try {
    const reference = parseReference(word)
    if (reference.kind === 'path') return undefined
    return ids.find(id => id.toLowerCase() === reference.id.toLowerCase())
  } catch {
    return undefined
  }
}

function candidates(ids: readonly string[]): string {
  if (ids.length === 0) return "The library is empty: add a repo with 'agenc repo add'."
  const lines = ids.slice(0, mostCandidates).map(id => `  ${cleanText(id)}`)
  const more = ids.length > mostCandidates ? [`  … and ${ids.length - mostCandidates} more`] : []
  return ['Repos:', ...lines, ...more].join('\n')
}
