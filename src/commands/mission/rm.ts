import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import type { MissionRecord } from '../../db/missions.ts'
import { getMission } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { withStore } from '../../db/with-store.ts'
import { AgencError } from '../../errors.ts'
import { confirmOrFlag } from '../../io/prompt.ts'
import { chooseMissions } from '../../mission/choose.ts'
import { statusNow } from '../../mission/mission-status.ts'
import { removeMission } from '../../mission/remove.ts'
import { missionTitle, tellDone } from '../../mission/tell-done.ts'
import { shortId } from '../../mission-id.ts'
import { closeExplanations } from '../../tmux/after-crash.ts'
import { tmuxOf } from '../../tmux/server.ts'
import { whatHasNotArrived } from '../../work/arrived.ts'
import { endClaudeLeftBehind, refuseLiveClaude } from '../../wrapper/stop-missions.ts'

interface Input {
  missions: string[]
  yes?: boolean
  force?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Delete missions and their working copies. Without --force, a mission with work that exists only there is kept.',
  arguments: [{ name: 'missions', description: 'their names or ids', variadic: true }],
  options: [
    { flags: '-y, --yes', description: 'do not ask for confirmation', destructive: true },
    { flags: '-f, --force', description: 'delete uncommitted and unpushed work too', destructive: true },
    quietOption,
    jsonOption,
  ],
  examples: ['agenc mission rm 3f2a', 'agenc mission rm 3f2a --yes --force'],
  async run(context, { missions: words, yes, force, json }) {
    await withStore(context, async db => {
      const missions = await chooseMissions(context, db, words, {
        title: 'Delete a mission',
        order: [['stopped', 'crashed'], ['archived']],
      })
      const check = async () => {
        for (const { id } of missions) refuseRunning(context, getMission(db, id))
        if (!force) for (const mission of missions) await refuseUnsavedWork(context, db, mission)
      }
      await check()
      await confirmOrFlag(context, `Delete ${missions.map(missionTitle).join(', ')}?`, yes)
      // The user may have left the question open for hours.
      if (!yes) await check()
      for (const { id } of missions) {
        const mission = getMission(db, id)
        refuseRunning(context, mission)
        if (mission) await endClaudeLeftBehind(context, mission)
        await removeMission(context, db, id, now => {
          refuseRunning(context, now)
          refuseLiveClaude(context, now)
        })
      }
      closeExplanations(
        tmuxOf(context),
        missions.map(({ id }) => id),
      )
      if (json) context.out.line(JSON.stringify(missions.map(({ id }) => ({ id, removed: true }))))
      else tellDone(context, 'Deleted', missions)
    })
    return 0
  },
})

function refuseRunning(context: Context, mission: MissionRecord | undefined): void {
  if (!mission || statusNow(context, mission) !== 'running') return
  throw new AgencError(
    `${missionTitle(mission)} is running`,
    `Stop it first with: agenc mission stop ${shortId(mission.id)}`,
  )
}

async function refuseUnsavedWork(context: Context, db: Database, mission: MissionRecord): Promise<void> {
  const losses = await whatHasNotArrived(context, db, mission)
  if (losses.length === 0) return
  throw new AgencError(
    `${missionTitle(mission)} has work that exists only here`,
    [...losses.map(loss => `  ${loss}`), 'Land it with pull or push, or delete it with --force.'].join('\n'),
  )
}
