import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import { getLoop } from '../../db/loops.ts'
import { withStore } from '../../db/with-store.ts'
import { describeLoops, findLoop } from '../../loop/find-loop.ts'
import { shortLoopId } from '../../loop/loop-json.ts'
import { stopLoop } from '../../loop/stop-loop.ts'
import { tell } from '../../mission/tell-done.ts'
import { loopArgument } from './loop-argument.ts'

export default defineCommand<{ loop?: string; json?: boolean }>({
  description:
    "Stop a loop, with its check and its mission's turn. A mission without a window ends too. Returns when that is done.",
  arguments: [loopArgument],
  options: [quietOption, jsonOption],
  examples: ['agenc loop stop 7c1e'],
  async run(context, { loop: word, json }) {
    await withStore(context, async db => {
      const loop = findLoop(context, db, word)
      const hasStopped = await stopLoop(context, db, loop)
      if (json) context.out.line(JSON.stringify(describeLoops(context, db, [getLoop(db, loop.id)!])[0]))
      else if (hasStopped) tell(context, `Stopped loop ${shortLoopId(loop.id)}.`)
      else context.err.line(`Loop ${shortLoopId(loop.id)} was not running.`)
    })
    return 0
  },
})
