import { defineCommand, jsonOption } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import { recordEvent } from '../../db/events.ts'
import type { MissionRecord } from '../../db/mission-record.ts'
import { updateMission } from '../../db/missions.ts'
import { withStore } from '../../db/with-store.ts'
import { chooseMission } from '../../mission/choose.ts'
import { statusNow } from '../../mission/list.ts'
import { missionName } from '../../mission/naming.ts'
import { tmuxOf } from '../../tmux/server.ts'
import { missionWindows, renameMissionWindow } from '../../tmux/windows.ts'

export default defineCommand<{ mission: string; name: string; json?: boolean }>({
  arguments: [
    { name: 'mission', description: "its id, a prefix of it, or '.'", required: true },
    { name: 'name', description: "its new name ('' removes the name)", required: true },
  ],
  options: [jsonOption],
  examples: ['agenc mission rename 3f2a "fix the login"'],
  async run(context, { mission: word, name: text, json }) {
    const name = missionName(text)
    const mission = await withStore(context, async db => {
      const chosen = await chooseMission(context, db, word)
      db.transaction(() => {
        updateMission(db, chosen.id, { name })
        recordEvent(db, chosen.id, context.now().toISOString(), 'renamed', { name })
      }).immediate()
      return { ...chosen, name }
    })
    if (statusNow(context, mission) === 'running') renameWindow(context, mission)
    if (json) context.out.line(JSON.stringify({ id: mission.id, name }))
    return 0
  },
})

/** One that runs outside the session has none. */
function renameWindow(context: Context, mission: MissionRecord): void {
  const tmux = tmuxOf(context)
  const windows = missionWindows(tmux)
  const window = windows?.get(mission.id)
  if (windows && !window) return
  if (window && tmux.ask(...renameMissionWindow(window, mission)).kind === 'ok') return
  context.err.line('agenc: tmux could not be asked, so the window keeps its name.')
}
