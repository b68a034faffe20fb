import { defineCommand, jsonOption } from '../../cli/command.ts'
import type { LoopWish } from '../../db/loops.ts'
import { withStore } from '../../db/with-store.ts'
import { parseDuration } from '../../io/duration.ts'
import { describeLoops, findLoop } from '../../loop/find-loop.ts'
import { shortLoopId } from '../../loop/loop-json.ts'
import { missionOf } from '../../loop/loop-mission.ts'
import { refuseLoop } from '../../loop/refuse-loop.ts'
import { continueLoop } from '../../loop/start-runner.ts'
import { tell } from '../../mission/tell-done.ts'
import { loopArgument } from './loop-argument.ts'
import { parseMax } from './parse-max.ts'

interface Input {
  loop?: string
  max?: string
  timeout?: string
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Go on with a loop that was stopped, has reached a limit, or whose process was killed, at the round it was in. Its limits count from now on. Prints its id.',
  arguments: [loopArgument],
  options: [
    { flags: '--max <rounds>', description: 'the most rounds from now on (default: as before)' },
    { flags: '--timeout <duration>', description: 'the longest time from now on (default: as before)' },
    jsonOption,
  ],
  examples: ['agenc loop continue 7c1e', 'agenc loop continue fix-tests --max 5'],
  async run(context, { loop: word, max, timeout, json }) {
    const limits: Partial<LoopWish> = {
      ...(max === undefined ? {} : { max: parseMax(max) }),
      ...(timeout === undefined ? {} : { timeout_ms: parseDuration(timeout, '--timeout') }),
    }
    await withStore(context, async db => {
      const known = findLoop(context, db, word)
      await refuseLoop(context, db, missionOf(db, known))
      const loop = await continueLoop(context, db, known.id, limits)
      context.out.line(json ? JSON.stringify(describeLoops(context, db, [loop])[0]) : loop.id)
      tell(context, `Follow it with: agenc loop log --follow ${shortLoopId(loop.id)}`)
    })
    return 0
  },
})
