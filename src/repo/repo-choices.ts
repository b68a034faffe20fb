import type { Context } from '../context.ts'
import type { Database } from '../db/open-store.ts'
import { listRepos } from '../db/repos.ts'
import { writeFileAtomically } from '../io/files.ts'
import { displayRepo } from '../mission/naming.ts'

export interface RepoChoice {
  /** null: a blank mission. */
  repo: string | null
  label: string
}

/** What a new mission can be started on, in the order shown. */
export function repoChoices(db: Database): RepoChoice[] {
  const repos = listRepos(db).map(({ id }) => ({ repo: id, label: displayRepo(id) }))
  return [...repos, { repo: null, label: '(blank)' }]
}

/** The same, written down for the picker that a key opens: that one shows it without starting Node. */
export function writeRepoChoices({ paths }: Pick<Context, 'paths'>, db: Database): void {
  const lines = repoChoices(db).map(({ repo, label }) => `${repo ?? '--blank'}\t${label}\n`)
  writeFileAtomically(paths.repoChoices, lines.join(''))
}
