import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import { listRemovedMissions, type MissionRecord, missionsOnRepo } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { listReposByUse } from '../../db/repos.ts'
import { withStore } from '../../db/with-store.ts'
import { AgencError } from '../../errors.ts'
import { workOnlyInLibrary } from '../../git-work/garbage.ts'
import { confirmOrFlag } from '../../io/prompt.ts'
import { displayName } from '../../mission/naming.ts'
import { missionService } from '../../mission/open-service.ts'
import { shortId } from '../../mission-id.ts'
import { removeRepo } from '../../repo/catalogue.ts'
import { chooseRepo } from '../../repo/choose-repo.ts'
import { displayRepo } from '../../repo/reference.ts'

export default defineCommand<{ repo?: string; yes?: boolean; force?: boolean; json?: boolean }>({
  description:
    'Remove a repo from the library. Fails while missions use it, archived ones included, and without --force while it keeps work of deleted missions that exists only there.',
  arguments: [{ name: 'repo', description: 'a repo in the library (default: pick from a list)' }],
  options: [
    { flags: '-y, --yes', description: 'do not ask for confirmation', destructive: true },
    {
      flags: '-f, --force',
      description: 'delete work of deleted missions that exists only there, too',
      destructive: true,
    },
    quietOption,
    jsonOption,
  ],
  examples: ['agenc repo rm owner/name', 'agenc repo rm owner/name --yes'],
  async run(context, { repo: word, yes, force, json }) {
    await withStore(context, async db => {
      const { id } = await chooseRepo(context, listReposByUse(db), word, 'Remove a repo')
      const check = async () => {
        refuseWhileUsed(id, missionsOnRepo(db, id))
        if (!force) await refuseKeptWork(context, db, id)
      }
      await check()
      await confirmOrFlag(context, `Remove ${displayRepo(id)} from the library?`, yes)
      if (!yes) await check()
      refuseWhileUsed(id, await removeRepo(context, db, id))
      forgetRemovedMissions(context, db, id)
      if (json) context.out.line(JSON.stringify({ id, removed: true }))
      else context.err.line(`Removed ${displayRepo(id)}.`)
    })
    return 0
  },
})

/** They cannot be brought back without the library. */
function forgetRemovedMissions(context: Context, db: Database, id: string): void {
  const removed = listRemovedMissions(db).filter(({ repo }) => repo === id)
  missionService(context, db).write(writer => {
    for (const mission of removed) writer.remove(mission.id)
  })
}

async function refuseKeptWork(context: Context, db: Database, id: string): Promise<void> {
  const work = await workOnlyInLibrary(context, db, id)
  if (work.length === 0) return
  const lines = work.map(({ mission_id, name, only_here }) => {
    const title = displayName({ id: mission_id, name, repo: id })
    return `  ${shortId(mission_id)}  ${title}: ${only_here.join(', ')}`
  })
  throw new AgencError(
    `${displayRepo(id)} has work of deleted missions that exists only there`,
    [...shortened(lines), "Bring them back with 'agenc mission resume', or delete it with --force."].join(
      '\n',
    ),
  )
}

const shownMissions = 8

function shortened(lines: readonly string[]): string[] {
  const more = lines.length > shownMissions ? [`  … and ${lines.length - shownMissions} more`] : []
  return [...lines.slice(0, shownMissions), ...more]
}

function refuseWhileUsed(id: string, missions: readonly MissionRecord[]): void {
  if (missions.length === 0) return
  const lines = missions.map(
    mission => `  ${shortId(mission.id)}  ${displayName(mission)}${mission.archived_at ? ' (archived)' : ''}`,
  )
  const count = missions.length === 1 ? 'a mission is' : `${missions.length} missions are`
  throw new AgencError(
    `${count} on ${displayRepo(id)}`,
    ["Delete these first with 'agenc mission rm':", ...shortened(lines)].join('\n'),
  )
}
