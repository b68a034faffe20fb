import { defineCommand, jsonOption } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import { countMissionsByRepo } from '../../db/missions.ts'
import { listRepos } from '../../db/repos.ts'
import { readStore } from '../../db/with-store.ts'
import { formatBytes } from '../../io/disk-size.ts'
import { ago } from '../../io/relative-time.ts'
import { printTable } from '../../io/table.ts'
import { cleanText } from '../../io/text.ts'
import { type RepoJson, repoJson } from '../../repo/catalogue.ts'
import { displayRepo } from '../../repo/reference.ts'

export default defineCommand<{ json?: boolean }>({
  description: 'List the repos in the library, with their missions and their last update.',
  options: [jsonOption],
  examples: ['agenc repo ls', "agenc repo ls --json | jq -r '.[].path'"],
  async run(context, { json }) {
    const repos = await readRepos(context)
    if (json) context.out.line(JSON.stringify(repos))
    else if (repos.length === 0) context.err.line("The library is empty. Add a repo with 'agenc repo add'.")
    else printRepos(context, repos)
    return 0
  },
})

function readRepos(context: Context): Promise<RepoJson[]> {
  return readStore(context, db => {
    if (!db) return []
    const missions = countMissionsByRepo(db)
    return listRepos(db).map(repo => repoJson(context, repo, missions.get(repo.id) ?? 0))
  })
}

function printRepos({ out, now }: Context, repos: readonly RepoJson[]): void {
  const time = now()
  printTable(out, [
    { title: 'REPO', cells: repos.map(({ id }) => displayRepo(id)), shrinks: true },
    {
      title: 'TRUSTED',
      cells: repos.map(({ trusted }) => (trusted ? 'yes' : 'no')),
      style: row => (repos[row]!.trusted ? 'green' : 'dim'),
    },
    { title: 'MISSIONS', cells: repos.map(({ missions }) => String(missions)) },
    { title: 'SIZE', cells: repos.map(({ disk_bytes }) => formatBytes(disk_bytes)) },
    { title: 'UPDATED', cells: repos.map(({ updated_at }) => ago(updated_at, time)) },
    { title: 'PATH', cells: repos.map(({ path }) => cleanText(path)), shrinks: true },
  ])
}
