import { defineCommand, jsonOption } from '../../cli/command.ts'
import { loopNow } from '../../loop/find-loop.ts'
import { missionNow } from '../../mission/mission-now.ts'
import focusMission from '../mission/focus.ts'
import { loopArgument } from './loop-argument.ts'

export default defineCommand<{ loop?: string; json?: boolean }>({
  description:
    "Bring the window of a loop's mission to the front, as 'mission focus' does. If it has none, print the path of the loop's log.",
  arguments: [loopArgument],
  options: [jsonOption],
  examples: ['agenc loop focus 7c1e', 'less "$(agenc loop focus 7c1e)"'],
  async run(context, { loop: word, json }) {
    const loop = await loopNow(context, word)
    const { tmux_window, headless, status } = await missionNow(context, loop.mission_id)
    const hasWindow = tmux_window !== null || (!headless && status === 'running')
    if (hasWindow) return focusMission.run(context, { mission: loop.mission_id, json })
    context.out.line(json ? JSON.stringify({ id: loop.id, tmux_window: null, log: loop.log }) : loop.log)
    return 0
  },
})
