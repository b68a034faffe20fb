import type { Context } from '../context.ts'
import { ownSocket } from '../tmux/server.ts'
import { userKey } from '../tmux/user-keys.ts'

/** How the tour writes keys: `C-b a n`. */
export interface TourKeys {
  prefix: string
  /** Explains once why the prefix is not the user's own. */
  remark?: string
}

/** The contents of a demo. Prompts are scripts for the stand-in; stand-in/README.md explains their language. */
export interface DemoScript {
  keys: TourKeys
  /** By `owner/name`. */
  samples: Record<string, Sample>
  /** Arguments of `agenc mission new`, for the session's first window. */
  first: readonly string[]
  /** Arguments of `agenc mission new` for each mission that starts in the background. */
  others: readonly (readonly string[])[]
  /** Prompts for missions that the user starts without one, by the name of their repo, or `fork`. */
  unprompted: Record<string, string>
}

const standard = 'C-b'
const other = 'C-a'

/** Uses the prefix that the user is used to. Inside another tmux, that tmux takes it, so the demo needs a different one. */
export function tourKeys(context: Context, { isNested }: { isNested: boolean }): TourKeys {
  const own = usable(userKey(context, 'a')?.prefix)
  if (!isNested) return { prefix: own }
  const prefix = own === other ? standard : other
  return { prefix, remark: `Your own tmux takes ${own}, so the prefix here is ${prefix}.` }
}

export function isInTmux(context: Context): boolean {
  return ownSocket(context.env) !== null
}

function usable(prefix: string | undefined): string {
  return prefix !== undefined && /^[CM]-[\w]+$/.test(prefix) ? prefix : standard
}

const forecast = 'forecast'

const press = ({ prefix }: TourKeys, key: string) => `${prefix} a ${key}`

/** The repos and missions at the start of the demo, and the lines of the stand-in. */
export function tourScript(keys: TourKeys): DemoScript {
  return {
    samples: tourSamples,
    keys,
    first: ['--blank', '--name', 'tour', '--prompt', welcome(keys)],
    others: [['demo/weather', '--name', forecast, '--prompt', forecastWords(keys)]],
    unprompted: {
      lemonade: spoken('What is this?', [
        'A mission on lemonade. It has its own window, its own Claude and its own copy of the repo, so work here touches nothing else.',
        `Step 2 of 6: press ${press(keys, 'a')}. It takes you to the mission that waits for you: ${forecast}, marked with ? in the status line.`,
      ]),
      fork: spoken('Where am I now?', [
        'In a fork: a new mission with a copy of the files and of the conversation. The original is untouched.',
        'Step 5 of 6: type /exit and press Enter. It ends this mission and takes you back to the window you came from.',
      ]),
    },
  }
}

function welcome(keys: TourKeys): string {
  return spoken('Show me around.', [
    'Welcome to agenc. Nothing here is real: a stand-in answers in place of Claude, in a separate tmux and a separate home, and everything is removed when you leave.',
    'Each window is a mission: a Claude with its own copy of a repo. The status line lists them: · is idle, ● is busy, and ? waits for you.',
    ...(keys.remark ? [keys.remark] : []),
    `Step 1 of 6: press ${press(keys, 'n')} (${spelled(keys.prefix)}, then a, then n). It starts a mission. Pick lemonade and press Enter.`,
  ])
}

function forecastWords(keys: TourKeys): string {
  const question = [
    "To find out, I want to run this repo's check. I need your permission.",
    'Step 3 of 6: press 1 to allow it.',
  ]
  const answer = [
    'It was kelvin: 21 degrees.',
    `Step 4 of 6: press ${press(keys, 'f')}. It forks this mission, so that you can try another way and keep this one.`,
    `Step 6 of 6, back here: press ${press(keys, 'd')}. It detaches and ends the demo. Before that, look around: ${press(keys, 's')} switches between missions, ${press(keys, '?')} shows all keys.`,
  ]
  return `Why is Sunday so hot? ${text(question)} + [[bash sh check.sh]] ${text(answer)}`
}

function spoken(prompt: string, paragraphs: readonly string[]): string {
  return `${prompt} ${text(paragraphs)}`
}

function text(paragraphs: readonly string[]): string {
  return `[[text ${paragraphs.join('\n\n')}]]`
}

/** Spells out `C-b` for users who do not know how tmux writes keys. */
function spelled(prefix: string): string {
  const [, key] = /^C-(.+)$/.exec(prefix) ?? []
  return key === undefined ? prefix : `Ctrl+${key}`
}

/** The files of a repo, by path. */
export type Sample = Record<string, string>

/** The repos of the tour, by `owner/name`. */
export const tourSamples: Record<string, Sample> = {
  'demo/lemonade': {
    'README.md': '# lemonade\n\nA stand, a table, and a menu.\n',
    'menu.txt': 'lemonade      2.00\nmint tea      1.50\n',
  },
  'demo/weather': {
    'README.md': '# weather\n\nThe forecast, one line per day.\n',
    'forecast.csv': 'friday,18\nsaturday,21\nsunday,294\n',
    'check.sh': `while IFS=, read -r day degrees; do
  if [ "$degrees" -gt 60 ]; then echo "$day: $degrees degrees, that is kelvin"; fi
done <forecast.csv
`,
  },
}
