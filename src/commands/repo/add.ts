import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import { type Context, isInteractive } from '../../context.ts'
import { missionsOnRepo } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { getRepo, insertRepo, type RepoRecord, setRepoTrusted } from '../../db/repos.ts'
import { withStore } from '../../db/with-store.ts'
import { AgencError } from '../../errors.ts'
import { confirm } from '../../io/prompt.ts'
import { displayRepo } from '../../mission/naming.ts'
import { findInLibrary } from '../../repo/find-repo.ts'
import { addToLibrary, fetchUrlOf, libraryPath } from '../../repo/library.ts'
import type { Source } from '../../repo/reference.ts'
import { writeRepoChoices } from '../../repo/repo-choices.ts'
import { sourceOf } from '../../repo/repo-source.ts'
import { AlreadyThere } from '../../repo/staging.ts'
import { interruptible } from '../../system/signals.ts'
import { repoJson } from './repo-json.ts'

interface Input {
  repo: string
  trust?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description: 'Clone a repo into the library, from where missions are copied. Prints the id of the repo.',
  arguments: [
    { name: 'repo', description: 'owner/name (GitHub), a git URL, or a local path', required: true },
  ],
  options: [
    { flags: '--trust', description: 'its filters and setup may run, and Claude works in it unasked' },
    { flags: '--no-trust', description: 'nothing of it runs; do not ask' },
    quietOption,
    jsonOption,
  ],
  examples: [
    'agenc repo add owner/name',
    'agenc repo add git@example.com:team/app.git --no-trust',
    'agenc repo add ./app',
  ],
  async run(context, { repo: text, trust, json }) {
    const source = sourceOf(context, text, context.cwd)
    await withStore(context, async db => {
      const repo = (await known(context, db, source, trust)) ?? (await add(context, db, source, trust))
      if (repo.trusted !== 1) {
        context.err.line(
          `Nothing of it will run until you trust it: agenc repo trust ${displayRepo(repo.id)}`,
        )
      }
      writeRepoChoices(context, db)
      const missions = missionsOnRepo(db, repo.id).length
      context.out.line(json ? JSON.stringify(repoJson(context, repo, missions)) : repo.id)
    })
    return 0
  },
})

async function known(
  context: Context,
  db: Database,
  source: Source,
  trust: boolean | undefined,
): Promise<RepoRecord | undefined> {
  const id = findInLibrary(context.paths.repos, source.id)
  if (id === undefined) return undefined
  refuseNamesake(context, id, source)
  // Only a process killed between the clone and this table leaves a repo that is not listed.
  if (!getRepo(db, id)) return record(context, db, { ...source, id }, await askTrust(context, source, trust))
  context.err.line(`${displayRepo(id)} is in the library already.`)
  if (trust !== undefined) setRepoTrusted(db, id, trust)
  return getRepo(db, id)!
}

/** Two directories can share parent and name; two remotes cannot. */
function refuseNamesake(context: Context, id: string, source: Source): void {
  if (!id.startsWith('local/')) return
  const other = fetchUrlOf(context, libraryPath(context.paths.repos, id))
  if (other === source.fetchUrl) return
  throw new AgencError(
    `${id} is in the library already, from ${other}`,
    `Rename one of the directories, or remove the other: agenc repo rm ${id}`,
  )
}

async function add(
  context: Context,
  db: Database,
  source: Source,
  trust: boolean | undefined,
): Promise<RepoRecord> {
  const trusted = await askTrust(context, source, trust)
  return interruptible(async signal => {
    try {
      const showsProgress = context.err.isTerminal
      await addToLibrary(context, context.paths.repos, source, {
        signal,
        showsProgress,
        mayPrompt: isInteractive(context),
      })
    } catch (error) {
      if (!(error instanceof AlreadyThere)) throw error
      context.err.line(`${displayRepo(source.id)} is in the library already.`)
    }
    return record(context, db, source, trusted)
  })
}

function record(context: Context, db: Database, { id, url }: Source, trusted: boolean | null): RepoRecord {
  const at = context.now().toISOString()
  const answer = trusted === null ? null : trusted ? 1 : 0
  insertRepo(db, { id, url, trusted: answer, added_at: at, updated_at: at })
  return getRepo(db, id)!
}

/** Asked once, before the clone, so that nobody has to wait for the question; null: nobody was there to ask. */
async function askTrust(
  context: Context,
  source: Source,
  trust: boolean | undefined,
): Promise<boolean | null> {
  if (trust !== undefined) return trust
  if (!isInteractive(context)) return null
  const question = `Do you trust ${displayRepo(source.id)}? Its filters and setup may then run, and Claude works in it unasked.`
  return confirm(context, question, false)
}
