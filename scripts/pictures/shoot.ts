import type { Context } from '../../src/context.ts'
import { HiddenTerminal } from '../../src/demo/hidden-terminal.ts'
import { startMission } from '../../src/demo/prepare-demo.ts'
import { withDemo } from '../../src/demo/run-demo.ts'
import { later, story } from './story.ts'

export type SceneName = 'session' | 'switcher' | 'waiting'
/** The screens as tmux draws them, with their escape sequences. */
export type Screens = Record<SceneName, string[]>

export const columns = 116
export const rows = 27

/** A message of tmux lies over the counts for a moment. */
const counts = /1 waiting +1 busy +2 idle *$/

export async function shootScreens(context: Context): Promise<Screens> {
  const screens: Partial<Screens> = {}
  await withDemo(
    context,
    () => story,
    async visit => {
      const { place, signal } = visit
      const command = ['env', '-u', 'TMUX', '-u', 'TMUX_PANE', ...context.self, 'tmux', 'attach']
      const terminal = HiddenTerminal.open(context, place, { columns, rows, command, signal })
      const take = async (name: SceneName, ...patterns: RegExp[]) => {
        const isThere = (text: string) => counts.test(text) && patterns.every(pattern => pattern.test(text))
        await terminal.until(`the picture '${name}'`, isThere)
        screens[name] = terminal.lines({ styled: true }) ?? []
      }
      await terminal.until(
        'the first mission',
        text => /with the coupon/.test(text) && /1 idle *$/.test(text),
      )
      for (const { args, sign } of later) {
        await startMission(visit, args)
        await terminal.until(args.join(' '), text => sign.test(text))
      }
      await take('session', /with the coupon/)
      terminal.press('C-b', 'a', 's')
      await take('switcher', /4\/4/, /│ +❯ +1\. Yes/, /ctrl-r/)
      terminal.press('Escape')
      await take('session', /with the coupon/)
      terminal.press('C-b', 'a', 'a')
      await take('waiting', /Do you want to proceed/)
    },
  )
  return screens as Screens
}
