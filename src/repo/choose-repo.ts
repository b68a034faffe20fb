import { type Context, isInteractive } from '../context.ts'
import { AgencError, usageError } from '../errors.ts'
import { pick } from '../io/picker.ts'
import { resolveRepo } from './resolve-repo.ts'

/** The repo a user named, or picks when none was named and there is a terminal. */
export async function chooseRepo<R extends { id: string }>(
  context: Context,
  repos: readonly R[],
  word: string | undefined,
): Promise<R> {
  if (word !== undefined) {
    const id = resolveRepo(
      word,
      repos.map(repo => repo.id),
    )
    return repos.find(repo => repo.id === id)!
  }
  if (!isInteractive(context)) throw usageError('which repo?', "Name one; 'agenc repo ls' lists them.")
  if (repos.length === 0) throw new AgencError('the library is empty', "Add a repo with 'agenc repo add'.")
  return pick(
    context,
    'repo',
    repos.map(repo => ({ value: repo, cells: [repo.id] })),
  )
}
