import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import { listMissions } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { deleteRepo, listRepos } from '../../db/repos.ts'
import { withStore } from '../../db/with-store.ts'
import { AgencError } from '../../errors.ts'
import { confirmOrFlag } from '../../io/prompt.ts'
import { displayName, displayRepo } from '../../mission/naming.ts'
import { shortId } from '../../mission-id.ts'
import { chooseRepo } from '../../repo/choose-repo.ts'
import { removeFromLibrary } from '../../repo/library.ts'
import { writeRepoChoices } from '../../repo/repo-choices.ts'

export default defineCommand<{ repo?: string; yes?: boolean; json?: boolean }>({
  description: 'Remove a repo from the library. Fails while missions use it, archived ones included.',
  arguments: [{ name: 'repo', description: 'a repo in the library (default: pick from a list)' }],
  options: [{ flags: '-y, --yes', description: 'do not ask for confirmation' }, quietOption, jsonOption],
  examples: ['agenc repo rm owner/name', 'agenc repo rm owner/name --yes'],
  async run(context, { repo: word, yes, json }) {
    await withStore(context, async db => {
      const { id } = await chooseRepo(context, listRepos(db), word)
      refuseWhileUsed(db, id)
      await confirmOrFlag(context, `Remove ${displayRepo(id)} from the library?`, yes)
      db.transaction(() => {
        refuseWhileUsed(db, id)
        deleteRepo(db, id)
      }).immediate()
      writeRepoChoices(context, db)
      await removeFromLibrary(context.paths.repos, id)
      if (json) context.out.line(JSON.stringify({ id, removed: true }))
      else context.err.line(`Removed ${displayRepo(id)}.`)
    })
    return 0
  },
})

const shownMissions = 8

function refuseWhileUsed(db: Database, id: string): void {
  const missions = listMissions(db, { archived: true }).filter(mission => mission.repo === id)
  if (missions.length === 0) return
  const lines = missions
    .slice(0, shownMissions)
    .map(
      mission =>
        `  ${shortId(mission.id)}  ${displayName(mission)}${mission.archived_at ? ' (archived)' : ''}`,
    )
  const count = missions.length === 1 ? 'a mission is' : `${missions.length} missions are`
  throw new AgencError(
    `${count} on ${displayRepo(id)}`,
    ["Delete first, with 'agenc mission rm':", ...lines].join('\n'),
  )
}
