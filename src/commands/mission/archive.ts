import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import { withStore } from '../../db/with-store.ts'
import { archiveMissions, dismissEndings, unarchiveMissions } from '../../mission/archive.ts'
import { chooseMissions } from '../../mission/choose.ts'
import { missionService } from '../../mission/open-service.ts'
import { tellDone } from '../../mission/tell-done.ts'
import { closeExplanations } from '../../tmux/after-crash.ts'
import { tmuxOf } from '../../tmux/server.ts'
import { stillRunning, stopMissions } from '../../wrapper/stop-missions.ts'

export default defineCommand<{ missions: string[]; json?: boolean }>({
  description: 'Hide missions from lists. Running ones are stopped first. Files and conversations are kept.',
  arguments: [{ name: 'missions', description: 'their names or ids', variadic: true }],
  options: [quietOption, jsonOption],
  examples: ['agenc mission archive 3f2a 91bc'],
  async run(context, { missions: words, json }) {
    const { chosen, archived } = await withStore(context, async db => {
      const chosen = await chooseMissions(context, db, words, {
        title: 'Archive a mission',
        order: [['stopped', 'crashed'], ['running']],
      })
      const missions = missionService(context, db)
      const archived = archiveMissions(missions, chosen)
      // A mission that could not be stopped must stay in the list.
      const left = await stopMissions(context, db, chosen).catch(error => {
        unarchiveMissions(missions, archived)
        throw error
      })
      if (left.length > 0) {
        unarchiveMissions(missions, left)
        throw stillRunning(left)
      }
      dismissEndings(missions, chosen)
      closeExplanations(
        tmuxOf(context),
        chosen.map(({ id }) => id),
      )
      return { chosen, archived }
    })
    if (json) context.out.line(JSON.stringify(chosen.map(({ id }) => ({ id, archived: true }))))
    else if (archived.length > 0) tellDone(context, 'Archived', archived)
    else tellDone(context, 'Already archived:', chosen)
    return 0
  },
})
