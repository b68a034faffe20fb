import { defineCommand, jsonOption } from '../../cli/command.ts'
import { durationText } from '../../io/duration.ts'
import { localTime } from '../../io/relative-time.ts'
import { cleanText, padEnd } from '../../io/text.ts'
import { loopNow } from '../../loop/find-loop.ts'
import type { LoopJson } from '../../loop/loop-json.ts'
import { howToGoOn, roundInWords } from '../../loop/loop-words.ts'
import { shortId } from '../../mission-id.ts'
import { loopArgument } from './loop-argument.ts'

export default defineCommand<{ loop?: string; json?: boolean }>({
  arguments: [loopArgument],
  options: [jsonOption],
  examples: ['agenc loop show 7c1e', 'agenc loop show fix-tests --json'],
  async run(context, { loop: word, json }) {
    const loop = await loopNow(context, word)
    if (json) context.out.line(JSON.stringify(loop))
    else
      for (const [label, value] of describe(loop, context.now()))
        context.out.line(`${padEnd(label, 12)}${cleanText(value)}`)
    return 0
  },
})

function describe(loop: LoopJson, now: Date): [string, string][] {
  const { limits, cost_usd } = loop
  const options = [loop.fresh && 'a new conversation per round', loop.window && 'in a window']
  const lines: [string, string | null][] = [
    ['id', loop.id],
    ['mission', [shortId(loop.mission_id), loop.mission_name].filter(Boolean).join(' ')],
    ['status', [loop.status, loop.reason].filter(Boolean).join(': ')],
    ['resets', loop.resets_at && localTime(loop.resets_at, now)],
    ['go on with', howToGoOn(loop)],
    ['until', loop.until],
    ['prompt', loop.prompt.split('\n')[0]!],
    ['limits', `${limits.max} rounds, ${durationText(limits.timeout_ms)}`],
    ['options', options.filter(Boolean).join(', ')],
    ['cost', cost_usd === null ? null : `$${cost_usd.toFixed(2)}`],
    ['log', loop.log],
    ['created', localTime(loop.created_at, now)],
    ['ended', loop.ended_at && localTime(loop.ended_at, now)],
    ...loop.rounds.map((round): [string, string] => [
      `round ${round.n}`,
      roundInWords(round, loop.status === 'running'),
    ]),
  ]
  return lines.flatMap(([label, value]) => (value ? [[label, value]] : []))
}
