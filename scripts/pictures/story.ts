import type { DemoScript } from '../../src/demo/tour.ts'

const shop = {
  'README.md': '# shop\n',
  'test.sh': 'echo "12 passed in 0.4 s"\n',
}
const site = { 'README.md': '# site\n' }

/** The session begins with one mission; the prompts are scripts for the stand-in. */
export const story: DemoScript = {
  keys: { prefix: 'C-b' },
  samples: { 'acme/shop': shop, 'acme/site': site },
  first: [
    ...['acme/shop', '--name', 'login', '--permission-mode', 'auto', '--prompt'],
    `After logging in I always land on the front page. Take me back to where I was.
    [[text The redirect drops the query: login.ts builds the address from the path alone. I keep both, and add a test.]]
    + [[bash sh test.sh]]
    [[text All tests pass. Whoever logs in from /cart?coupon=may is back in the cart, with the coupon.]]`,
  ],
  others: [],
  unprompted: {},
}

export interface Later {
  args: readonly string[]
  /** How the status line shows it once it has come as far as it is to come. */
  sign: RegExp
}

/** Those that come after it, one by one, so that every run lists them in the same order. */
export const later: readonly Later[] = [
  {
    args: [
      ...['acme/site', '--name', 'docs', '--permission-mode', 'auto', '--prompt'],
      'Check the links in the docs. [[text 214 links, two of them dead; both are mended.]]',
    ],
    sign: /\+\w+ docs/,
  },
  {
    args: [
      ...['acme/shop', '--name', 'node 22', '--prompt'],
      `Move us to Node 22.
      [[text The build works on 22. Two packages have to be newer for it, and I would install them now.]]
      + [[tool Bash {"command":"npm install vite@7 vitest@4","description":"Install the two packages"}]]`,
    ],
    sign: /!\w+ node 22/,
  },
  {
    args: [
      ...['acme/site', '--name', 'dark mode', '--permission-mode', 'auto', '--prompt'],
      'The site is too bright at night. [[text I move the colours into variables first.]] + [[bash sleep 1000]]',
    ],
    sign: /\*\w+ dark mode/,
  },
]
