import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import { listMissions } from '../../db/missions.ts'
import { withStore } from '../../db/with-store.ts'
import { usageError } from '../../errors.ts'
import { chooseMissions } from '../../mission/choose.ts'
import { statusesOf } from '../../mission/mission-status.ts'
import { tell, tellDone } from '../../mission/tell-done.ts'
import { shortId } from '../../mission-id.ts'
import { closeExplanations } from '../../tmux/after-crash.ts'
import { tmuxOf } from '../../tmux/server.ts'
import { dismissLost, stillRunning, stopMissions } from '../../wrapper/stop-missions.ts'

interface Input {
  missions: string[]
  all?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Stop missions. Claude is asked to exit, and is killed if it does not. The conversation is kept.',
  arguments: [{ name: 'missions', description: "their names or ids, or '.'", variadic: true }],
  options: [
    { flags: '--all', description: 'stop every running mission', destructive: true },
    quietOption,
    jsonOption,
  ],
  examples: ['agenc mission stop 3f2a', 'agenc mission stop --all'],
  async run(context, { missions: words, all, json }) {
    if (all && words.length > 0)
      throw usageError('--all and names exclude each other', 'Give one or the other.')
    await withStore(context, async db => {
      const chosen = all
        ? listMissions(db, { archived: true })
        : await chooseMissions(context, db, words, { title: 'Stop a mission', order: [['running']] })
      const statuses = statusesOf(context, chosen)
      const running = chosen.filter((_, index) => statuses[index] === 'running')
      const lost = all ? [] : chosen.filter((_, index) => statuses[index] === 'crashed')
      const left = await stopMissions(context, db, running)
      for (const mission of lost) if (!(await dismissLost(context, db, mission))) left.push(mission)
      // A wrapper that had to be killed, or crashed before, has left a window that says so.
      const ended = (all ? running : chosen).map(({ id }) => id)
      if (ended.length > 0) closeExplanations(tmuxOf(context), ended)
      const stopped = [...running, ...lost].filter(mission => !left.includes(mission))
      if (json) context.out.line(JSON.stringify(stopped.map(({ id }) => ({ id, status: 'stopped' }))))
      else if (all && stopped.length + left.length === 0) tell(context, 'No mission is running.')
      else {
        tellDone(context, 'Stopped', stopped)
        for (const { id } of all ? [] : chosen.filter(mission => ![...running, ...lost].includes(mission))) {
          context.err.line(`${shortId(id)} was not running.`)
        }
      }
      if (left.length > 0) throw stillRunning(left)
    })
    return 0
  },
})
