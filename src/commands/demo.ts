import { defineCommand, jsonOption } from '../cli/command.ts'
import type { Context } from '../context.ts'
import { placeAt } from '../demo/demo-place.ts'
import { playTour, printScreenshot } from '../demo/play-tour.ts'
import { removePlace } from '../demo/remove-demo.ts'
import { attend, sayFarewell, withDemo } from '../demo/run-demo.ts'
import { isInTmux, tourKeys, tourScript } from '../demo/tour.ts'
import { wantsColour } from '../io/colour.ts'

interface Input {
  play?: boolean
  clear?: string
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Try agenc without a Claude account: a guided tour with a simulated Claude. It uses its own home directory and tmux server, and removes both at the end. Without a terminal, the tour plays by itself.',
  options: [
    { flags: '--play', description: 'play the tour by itself and print each screen' },
    { flags: '--clear <directory>', description: 'for internal use', hidden: true },
    jsonOption,
  ],
  examples: ['agenc demo', 'agenc demo --play'],
  async run(context, { play, clear, json }) {
    if (clear !== undefined) return removePlace(context, placeAt(clear, context.env)).then(() => 0)
    const isAttended = Boolean(context.stdin.isTTY) && context.out.isTerminal && !play && !json
    if (isAttended) await visit(context)
    else await watch(context, json ?? false)
    if (!json) sayFarewell(context)
    return 0
  },
})

async function visit(context: Context): Promise<void> {
  context.err.line('Setting up two repos and a separate tmux server …')
  const isNested = isInTmux(context)
  await withDemo(context, () => tourScript(tourKeys(context, { isNested })), attend)
}

const rows = 28
const widest = 100
const narrowest = 40

async function watch(context: Context, json: boolean): Promise<void> {
  const { out, env } = context
  const columns = out.isTerminal ? Math.max(narrowest, Math.min(out.columns, widest)) : widest
  const styled = !json && wantsColour(out.isTerminal, env)
  const screens: { caption: string; screen: string }[] = []
  const script = () => tourScript(tourKeys(context, { isNested: false }))
  await withDemo(context, script, async visit => {
    for await (const shot of playTour(visit, { columns, rows, styled })) {
      if (json) screens.push({ caption: shot.caption, screen: shot.lines.join('\n') })
      else printScreenshot(context, shot, columns)
    }
  })
  if (json) out.line(JSON.stringify(screens))
}
