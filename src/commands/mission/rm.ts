import { existsSync } from 'node:fs'
import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import { getMission, listHeldMissions, type MissionRecord } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { withStore } from '../../db/with-store.ts'
import { AgencError } from '../../errors.ts'
import { whatHasNotArrived } from '../../git-work/arrived.ts'
import { whatLibraryCannotKeep } from '../../git-work/not-kept.ts'
import { whatOnlyLibraryHas } from '../../git-work/only-in-library.ts'
import { collectPurged, purgeMission } from '../../git-work/purge-mission.ts'
import { removeKeepingWork } from '../../git-work/remove-mission.ts'
import { confirmOrFlag } from '../../io/prompt.ts'
import { cleanText } from '../../io/text.ts'
import { chooseMissions } from '../../mission/choose.ts'
import { statusNow } from '../../mission/mission-status.ts'
import { missionTitle, tell, tellDone } from '../../mission/tell-done.ts'
import { shortId } from '../../mission-id.ts'
import { closeExplanations } from '../../tmux/after-crash.ts'
import { tmuxOf } from '../../tmux/server.ts'
import { endClaudeLeftBehind, refuseLiveClaude } from '../../wrapper/stop-missions.ts'

interface Input {
  missions: string[]
  yes?: boolean
  force?: boolean
  purge?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Delete missions and their working copies. Without --force, a mission with work that exists only there is kept. The library keeps the last state of a working copy, so that resume can bring the mission back.',
  arguments: [{ name: 'missions', description: 'their names or ids', variadic: true }],
  options: [
    { flags: '-y, --yes', description: 'do not ask for confirmation', destructive: true },
    { flags: '-f, --force', description: 'delete uncommitted and unpushed work too', destructive: true },
    {
      flags: '--purge',
      description: 'delete their checkpoints and conversations too, for good; also of deleted missions',
      destructive: true,
    },
    quietOption,
    jsonOption,
  ],
  examples: ['agenc mission rm 3f2a', 'agenc mission rm 3f2a --yes --force', 'agenc mission rm 3f2a --purge'],
  async run(context, { missions: words, yes, force, purge = false, json }) {
    await withStore(context, async db => {
      const picker = { title: 'Delete a mission', order: [['stopped', 'crashed'], ['archived']] as const }
      const missions = await chooseMissions(context, db, words, picker, { removed: purge })
      const check = async () => {
        for (const { id } of missions) refuseRunning(context, getMission(db, id))
        if (!force) for (const mission of missions) await refuseUnsavedWork(context, db, mission, purge)
      }
      await check()
      if (force && !purge) for (const mission of missions) await tellLosses(context, mission)
      const titles = missions.map(missionTitle).join(', ')
      const kept = directoriesKept(missions)
      const sentence = purge
        ? `Delete ${titles} for good, with checkpoints and conversation?`
        : `Delete ${titles}?`
      const question = [sentence, ...kept].join(' ')
      await confirmOrFlag(context, question, yes)
      // The user may have left the question open for hours.
      if (!yes) await check()
      for (const { id } of missions) {
        const mission = getMission(db, id, { removed: purge })
        if (!mission) continue
        refuseRunning(context, mission)
        await endClaudeLeftBehind(context, mission)
        const refuseStarted = (now: MissionRecord) => {
          refuseRunning(context, now)
          refuseLiveClaude(context, now)
        }
        if (purge) await purgeMission(context, db, mission, refuseStarted)
        else await removeKeepingWork(context, db, mission, { force, check: refuseStarted })
      }
      closeExplanations(
        tmuxOf(context),
        missions.map(({ id }) => id),
      )
      if (purge) {
        const isQuiet = listHeldMissions(db).length === 0
        await collectPurged(
          context,
          missions.map(({ repo }) => repo),
          { isQuiet },
        )
      }
      if (json) context.out.line(JSON.stringify(missions.map(({ id }) => ({ id, removed: true }))))
      else {
        tellDone(context, purge ? 'Deleted for good:' : 'Deleted', missions)
        for (const line of kept) tell(context, line)
      }
    })
    return 0
  },
})

/** With --force, nothing is refused. */
async function tellLosses(context: Context, mission: MissionRecord): Promise<void> {
  const lines = await whatLibraryCannotKeep(context, mission).catch(() => [])
  if (lines.length > 0) context.err.line(`The library cannot keep of ${missionTitle(mission)}:`)
  for (const line of lines) context.err.line(`  ${line}`)
}

/** `rm` never deletes a directory that the user gave a mission with `--dir`. */
function directoriesKept(missions: readonly MissionRecord[]): string[] {
  const given = missions.flatMap(({ dir }) => (dir === null ? [] : [dir]))
  return [...new Set(given)].map(dir => `The directory ${cleanText(dir)} stays.`)
}

function refuseRunning(context: Context, mission: MissionRecord | undefined): void {
  if (!mission || statusNow(context, mission) !== 'running') return
  throw new AgencError(
    `${missionTitle(mission)} is running`,
    `Stop it first with: agenc mission stop ${shortId(mission.id)}`,
  )
}

async function refuseUnsavedWork(
  context: Context,
  db: Database,
  mission: MissionRecord,
  purge: boolean,
): Promise<void> {
  const isThere = existsSync(context.paths.mission(mission.id).agent)
  const losses = isThere
    ? await whatHasNotArrived(context, db, mission)
    : purge && mission.repo !== null && mission.dir === null
      ? await whatOnlyLibraryHas(context, db, mission)
      : []
  if (losses.length === 0) return
  throw new AgencError(
    `${missionTitle(mission)} has work that exists only here`,
    [...losses.map(loss => `  ${loss}`), 'Land it with pull or push, or delete it with --force.'].join('\n'),
  )
}
