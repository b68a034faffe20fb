import { defineCommand } from '../../cli/command.ts'
import { loopNow } from '../../loop/find-loop.ts'
import { followLog, printLog } from '../../loop/print-log.ts'
import { loopArgument } from './loop-argument.ts'

export default defineCommand<{ loop?: string; follow?: boolean }>({
  description:
    "Print what a loop has done, with Claude's last message and the output of the check per round.",
  arguments: [loopArgument],
  options: [{ flags: '-f, --follow', description: 'go on until the loop ends' }],
  examples: ['agenc loop log 7c1e', 'agenc loop log 7c1e --follow'],
  async run(context, { loop: word, follow }) {
    const loop = await loopNow(context, word)
    if (follow) await followLog(context, loop)
    else printLog(context, loop.log)
    return 0
  },
})
