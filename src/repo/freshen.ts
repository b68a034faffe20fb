import type { Context } from '../context.ts'
import type { Database } from '../db/open-store.ts'
import { isCancelled } from '../errors.ts'
import { explainFailure } from '../io/explain-failure.ts'
import { markUpdated } from './catalogue.ts'
import type { LongGitOptions } from './git.ts'
import { libraryPath, updateInLibrary } from './library.ts'

export interface FreshenOptions extends Pick<LongGitOptions, 'showsProgress' | 'mayPrompt'> {
  signal: AbortSignal
  /** After this time the fetch is given up. */
  timeoutMs: number
}

/**
 * Fetches a repo into the library. Resolves to the reason if that is not possible, else to null. Throws `Cancelled` if
 * `signal` is aborted.
 */
export async function freshen(
  context: Context,
  db: Database,
  id: string,
  { signal, timeoutMs, ...options }: FreshenOptions,
): Promise<string | null> {
  const limit = AbortSignal.timeout(timeoutMs)
  const update = () =>
    updateInLibrary(context, libraryPath(context.paths.repos, id), {
      ...options,
      signal: AbortSignal.any([signal, limit]),
    })
  try {
    // Another fetch of the same repo at the same time may hold a ref for a moment.
    await update().catch(error => (isAboutLock(error) ? update() : Promise.reject(error)))
    markUpdated(context, db, id)
    return null
  } catch (error) {
    if (limit.aborted && !signal.aborted) return `cannot reach origin within ${timeoutMs / 1000} s`
    if (isCancelled(error)) throw error
    return explainFailure(error, context.paths.home).message
  }
}

function isAboutLock(error: unknown): boolean {
  return error instanceof Error && /cannot lock ref|\.lock'/.test(error.message)
}
