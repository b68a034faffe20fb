import { defineCommand, jsonOption } from '../../cli/command.ts'
import { usageError } from '../../errors.ts'
import { loopNow } from '../../loop/find-loop.ts'
import { followLog, printLog, readLog } from '../../loop/print-log.ts'
import { loopArgument } from './loop-argument.ts'

export default defineCommand<{ loop?: string; follow?: boolean; json?: boolean }>({
  description:
    "Print what a loop has done, with Claude's last message and the output of the check per round.",
  arguments: [loopArgument],
  options: [{ flags: '-f, --follow', description: 'go on until the loop ends' }, jsonOption],
  examples: ['agenc loop log 7c1e', 'agenc loop log 7c1e --follow'],
  async run(context, { loop: word, follow, json }) {
    if (follow && json)
      throw usageError('--follow prints text', "Omit --json, or follow with 'agenc events --follow --json'.")
    const loop = await loopNow(context, word)
    if (json) context.out.line(JSON.stringify({ id: loop.id, log: loop.log, text: readLog(loop.log) }))
    else if (follow) await followLog(context, loop)
    else printLog(context, loop.log)
    return 0
  },
})
