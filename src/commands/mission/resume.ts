import { defineCommand, jsonOption } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import type { MissionRecord } from '../../db/mission-record.ts'
import { updateMission } from '../../db/missions.ts'
import { readStore, withStore } from '../../db/with-store.ts'
import { AgencError } from '../../errors.ts'
import { chooseMission } from '../../mission/choose.ts'
import { statusNow } from '../../mission/list.ts'
import { shortId } from '../../mission-id.ts'
import { describeLocation } from '../../system/process-table.ts'
import { goToWindow } from '../../tmux/go-to-window.ts'
import { tmuxOf } from '../../tmux/server.ts'
import { listMissionWindows, windowsIn } from '../../tmux/windows.ts'
import { destinationFor, launchMission } from '../../wrapper/launch.ts'
import { requestRestart } from '../../wrapper/send-control-message.ts'
import { checkMode, takesEffectLater } from './mode.ts'

interface Input {
  mission?: string
  permissionMode?: string
  restart?: boolean
  focus: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description: 'Go on with a mission, in the conversation it had. One that runs is brought to the front.',
  arguments: [{ name: 'mission', description: "id, a prefix of it, or '.'; left out: a picker" }],
  options: [
    { flags: '--permission-mode <mode>', description: 'from now on, this permission mode' },
    { flags: '--restart', description: 'if it runs: start its Claude anew as soon as it is idle' },
    { flags: '--no-focus', description: 'inside the agenc session: stay in this window' },
    jsonOption,
  ],
  examples: ['agenc mission resume 3f2a', 'agenc mission resume . --restart'],
  async run(context, { mission: word, permissionMode, restart, focus, json }) {
    if (permissionMode !== undefined) await checkMode(context, permissionMode)
    const mission = await readStore(context, db => chooseMission(context, db, word))
    const destination = statusNow(context, mission) === 'running' ? null : await destinationFor(context)
    if (permissionMode !== undefined)
      await withStore(context, db => updateMission(db, mission.id, { permission_mode: permissionMode }))
    if (json) context.out.line(JSON.stringify({ id: mission.id }))
    if (destination) return launchMission(context, destination, mission, { focus })
    if (permissionMode !== undefined && !restart) context.err.line(takesEffectLater(mission))
    return resumeRunning(context, mission, { restart, focus })
  },
})

async function resumeRunning(
  context: Context,
  mission: MissionRecord,
  { restart, focus }: Pick<Input, 'restart' | 'focus'>,
): Promise<number> {
  if (restart) {
    requestRestart(context.paths.mission(mission.id).run)
    context.err.line(`${shortId(mission.id)} starts anew as soon as it is idle.`)
    return 0
  }
  const tmux = tmuxOf(context)
  const { answer, goOn } = await tmux.openCall(listMissionWindows)
  const window = answer.kind === 'ok' ? windowsIn(answer.lines).get(mission.id) : undefined
  if (window) return focus ? goToWindow(context, tmux, window, goOn) : 0
  throw new AgencError(
    `${shortId(mission.id)} is running ${describeLocation(context.exec, mission.wrapper_pid!)}`,
    `Go there, or stop it first: agenc mission stop ${shortId(mission.id)}`,
  )
}
