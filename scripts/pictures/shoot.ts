import type { Context } from '../../src/context.ts'
import { HiddenTerminal } from '../../src/demo/hidden-terminal.ts'
import { startMission } from '../../src/demo/prepare-demo.ts'
import { withDemo } from '../../src/demo/run-demo.ts'
import type { DemoScript } from '../../src/demo/tour.ts'

export type SceneName = 'session' | 'switcher' | 'waiting'
/** Each screen as tmux draws it, with its escape sequences. */
export type Screens = Record<SceneName, string[]>

export const columns = 120
const rows = 30

/** A tmux message may cover the counts for a moment, so every picture waits until they show. */
const counts = /1 waiting +1 done +1 busy +1 idle *$/

const shop = {
  'README.md': '# shop\n',
  'test.sh': 'echo "12 passed in 0.4 s"\n',
}
const site = { 'README.md': '# site\n' }

/** The session starts with one mission. Prompts are scripts for the stand-in Claude. */
const story: DemoScript = {
  keys: { prefix: 'C-b' },
  samples: { 'acme/shop': shop, 'acme/site': site },
  first: [
    ...['acme/shop', '--name', 'login', '--permission-mode', 'auto', '--prompt'],
    `After logging in I always land on the front page. Take me back to where I was.
    [[text The redirect drops the query: login.ts builds the URL from the path alone. I keep both and test it.]]
    + [[bash sh test.sh]]
    [[text All tests pass. A login from /cart?coupon=may now leads back to the cart, with the coupon.]]`,
  ],
  others: [],
  unprompted: {},
}

interface LaterMission {
  args: readonly string[]
  /** Matches the status line once the mission has reached its final state. */
  sign: RegExp
}

/** Started one by one, so that every run lists them in the same order. */
const laterMissions: readonly LaterMission[] = [
  {
    args: [
      ...['acme/site', '--name', 'docs', '--permission-mode', 'auto', '--prompt'],
      'Check the links in the docs. [[text 214 links checked. Two were dead, and both are fixed.]]',
    ],
    sign: /✓docs/,
  },
  {
    args: [
      ...['acme/shop', '--name', 'node 22', '--prompt'],
      `Move us to Node 22.
      [[text The build works on 22, but two packages need newer versions. I would like to install them now.]]
      + [[tool Bash {"command":"npm install vite@7 vitest@4","description":"Install the two packages"}]]`,
    ],
    sign: /\?node 22/,
  },
  {
    args: [
      ...['acme/site', '--name', 'dark mode', '--permission-mode', 'auto', '--prompt'],
      'The site is too bright at night. [[text I move the colours into variables first.]] + [[bash sleep 1000]]',
    ],
    sign: /●dark mode/,
  },
]

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
      for (const { args, sign } of laterMissions) {
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
