import { defineCommand } from '../../cli/command.ts'
import { runLoop } from '../../loop/loop-runner.ts'
import { parseIdentity } from '../../system/process-identity.ts'

export default defineCommand<{ loop: string; from?: string }>({
  description: 'Run one loop. For internal use.',
  arguments: [{ name: 'loop', description: 'its full id', required: true }],
  options: [{ flags: '--from <process>', description: 'the process that has stored the loop for this one' }],
  examples: ['agenc loop _run 3f2a91bc-…'],
  async run(context, { loop, from }) {
    await runLoop(context, loop, parseIdentity(from ?? ''))
    return 0
  },
})
