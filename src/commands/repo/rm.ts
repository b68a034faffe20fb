import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import type { MissionRecord } from '../../db/missions.ts'
import { missionsOnRepo } from '../../db/missions.ts'
import { listReposByUse } from '../../db/repos.ts'
import { withStore } from '../../db/with-store.ts'
import { AgencError } from '../../errors.ts'
import { confirmOrFlag } from '../../io/prompt.ts'
import { displayName } from '../../mission/naming.ts'
import { shortId } from '../../mission-id.ts'
import { removeRepo } from '../../repo/catalogue.ts'
import { chooseRepo } from '../../repo/choose-repo.ts'
import { displayRepo } from '../../repo/reference.ts'

export default defineCommand<{ repo?: string; yes?: boolean; json?: boolean }>({
  description: 'Remove a repo from the library. Fails while missions use it, archived ones included.',
  arguments: [{ name: 'repo', description: 'a repo in the library (default: pick from a list)' }],
  options: [
    { flags: '-y, --yes', description: 'do not ask for confirmation', destructive: true },
    quietOption,
    jsonOption,
  ],
  examples: ['agenc repo rm owner/name', 'agenc repo rm owner/name --yes'],
  async run(context, { repo: word, yes, json }) {
    await withStore(context, async db => {
      const { id } = await chooseRepo(context, listReposByUse(db), word, 'Remove a repo')
      refuseWhileUsed(id, missionsOnRepo(db, id))
      await confirmOrFlag(context, `Remove ${displayRepo(id)} from the library?`, yes)
      refuseWhileUsed(id, await removeRepo(context, db, id))
      if (json) context.out.line(JSON.stringify({ id, removed: true }))
      else context.err.line(`Removed ${displayRepo(id)}.`)
    })
    return 0
  },
})

const shownMissions = 8

function refuseWhileUsed(id: string, missions: readonly MissionRecord[]): void {
  if (missions.length === 0) return
  const lines = missions
    .slice(0, shownMissions)
    .map(
      mission =>
        `  ${shortId(mission.id)}  ${displayName(mission)}${mission.archived_at ? ' (archived)' : ''}`,
    )
  const more = missions.length > shownMissions ? [`  … and ${missions.length - shownMissions} more`] : []
  const count = missions.length === 1 ? 'a mission is' : `${missions.length} missions are`
  throw new AgencError(
    `${count} on ${displayRepo(id)}`,
    ["Delete these first with 'agenc mission rm':", ...lines, ...more].join('\n'),
  )
}
