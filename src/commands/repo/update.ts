import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import { type Context, isInteractive } from '../../context.ts'
import type { Database } from '../../db/open-store.ts'
import { listRepos, type RepoRecord } from '../../db/repos.ts'
import { withStore } from '../../db/with-store.ts'
import { AgencError, ExitCode, isCancelled } from '../../errors.ts'
import { explainFailure } from '../../io/explain-failure.ts'
import { forEachInParallel } from '../../io/parallel.ts'
import { markUpdated } from '../../repo/catalogue.ts'
import { resolveRepoOrPath } from '../../repo/choose-repo.ts'
import { fetchUrlOf, libraryPath, updateInLibrary } from '../../repo/library.ts'
import { displayRepo, withoutSecrets } from '../../repo/reference.ts'
import { showProgress } from '../../repo/update-progress.ts'
import { interruptible } from '../../system/signals.ts'

interface Outcome {
  id: string
  updated: boolean
  error: string | null
  updated_at: string
}

/** With more, fetches mostly wait for the disk, and some servers refuse so many connections. */
const fetchesAtOnce = 6

export default defineCommand<{ repos: string[]; json?: boolean }>({
  description:
    'Fetch new commits for the given repos, or for all of them. Existing missions are not touched.',
  arguments: [{ name: 'repos', description: 'repos in the library (default: all)', variadic: true }],
  options: [quietOption, jsonOption],
  examples: ['agenc repo update', 'agenc repo update owner/name'],
  async run(context, { repos: words, json }) {
    const { repos, outcomes } = await withStore(context, async db => {
      const repos = await named(context, listRepos(db), words)
      return { repos, outcomes: await interruptible(signal => updateAll(context, db, repos, signal)) }
    })
    if (json) context.out.line(JSON.stringify(outcomes))
    const failed = outcomes.filter(outcome => !outcome.updated).length
    if (failed === 0) return ExitCode.ok
    throw new AgencError(`${failed} of ${outcomes.length} could not be updated`, hintFor(context, repos))
  },
})

async function named(
  context: Context,
  repos: readonly RepoRecord[],
  words: readonly string[],
): Promise<RepoRecord[]> {
  if (words.length === 0) return [...repos]
  const known = repos.map(({ id }) => id)
  const wanted = new Set<string>()
  for (const word of words) wanted.add(await resolveRepoOrPath(context, word, known))
  return repos.filter(({ id }) => wanted.has(id))
}

async function updateAll(
  context: Context,
  db: Database,
  repos: readonly RepoRecord[],
  signal: AbortSignal,
): Promise<Outcome[]> {
  const progress = showProgress(context.err, repos.length)
  // With several fetches at once, the user could not tell whose password is asked for.
  const mayPrompt = isInteractive(context) && repos.length === 1
  const outcomes = new Map<string, Outcome>()
  try {
    await forEachInParallel(repos, fetchesAtOnce, async ({ id, updated_at }) => {
      progress.started(displayRepo(id))
      const error = await update(context, id, { signal, mayPrompt })
      const at = error === null ? markUpdated(context, db, id) : updated_at
      outcomes.set(id, { id, updated: error === null, error, updated_at: at })
      progress.ended(displayRepo(id), error)
    })
  } finally {
    progress.clear()
  }
  return repos.map(({ id }) => outcomes.get(id)!)
}

/** Returns the reason if it failed, else null. A failed repo does not stop the others; Ctrl-C does. */
async function update(
  context: Context,
  id: string,
  options: { signal: AbortSignal; mayPrompt: boolean },
): Promise<string | null> {
  try {
    await updateInLibrary(context, libraryPath(context.paths.repos, id), options)
    return null
  } catch (error) {
    if (isCancelled(error)) throw error
    return explainFailure(error, context.paths.home).message
  }
}

function hintFor(context: Context, [first, ...others]: readonly RepoRecord[]): string {
  if (others.length > 0)
    return 'The others are up to date. If a repo needs a password, update it alone: agenc repo update <repo>'
  const url = fetchUrlOf(context, libraryPath(context.paths.repos, first!.id))
  return `Check that git can reach it: git ls-remote ${withoutSecrets(url)}`
}
