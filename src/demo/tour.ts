import type { Context } from '../context.ts'
import { socketOf } from '../tmux/server.ts'
import { userKey } from '../tmux/user-keys.ts'

/** How the keys are written in the words of the tour: `C-b a n`. */
export interface TourKeys {
  prefix: string
  /** Said once, where the prefix is not the one that the user has. */
  remark?: string
}

/** What a demo consists of; prompts are scripts for the stand-in (src/stand-in/script.ts). */
export interface DemoScript {
  keys: TourKeys
  /** By `owner/name`. */
  samples: Record<string, Sample>
  /** Arguments of `agenc mission new`, for the session's first window. */
  first: readonly string[]
  /** And for those that start in the background. */
  others: readonly (readonly string[])[]
  /** Prompts of missions that are started without one: by the name of their repo, or `fork`. */
  unprompted: Record<string, string>
}

const standard = 'C-b'
const other = 'C-a'

/**
 * The user's own prefix, because that is what their fingers know. Inside another tmux that one takes it first, so
 * that the demo needs another.
 */
export function tourKeys(context: Context, { isNested }: { isNested: boolean }): TourKeys {
  const own = usable(userKey(context, 'a')?.prefix)
  if (!isNested) return { prefix: own }
  const prefix = own === other ? standard : other
  return { prefix, remark: `Your own tmux takes ${own}, so here the prefix is ${prefix}.` }
}

export function isInTmux(context: Context): boolean {
  return socketOf(context.env) !== null
}

function usable(prefix: string | undefined): string {
  return prefix !== undefined && /^[CM]-[\w]+$/.test(prefix) ? prefix : standard
}

const forecast = 'forecast'

const press = ({ prefix }: TourKeys, key: string) => `${prefix} a ${key}`

/** What there is in the demo at first, and what the stand-in says. */
export function tourScript(keys: TourKeys): DemoScript {
  return {
    samples: tourSamples,
    keys,
    first: ['--blank', '--name', 'tour', '--prompt', welcome(keys)],
    others: [['demo/weather', '--name', forecast, '--prompt', forecastWords(keys)]],
    unprompted: {
      lemonade: spoken('What is this?', [
        'A mission on lemonade, with a window, a Claude and a copy of the repo to itself. What happens here touches nothing else.',
        `Step 2 of 6: press ${press(keys, 'a')}. It takes you to the mission that waits for you: ${forecast}, with a ! in the line at the bottom.`,
      ]),
      fork: spoken('Where am I now?', [
        'In a fork: the files as they were, the conversation as it was, and from here on a life of its own. The original is untouched.',
        'Step 5 of 6: type /exit and press Enter. It ends this one, and you land where you came from.',
      ]),
    },
  }
}

function welcome(keys: TourKeys): string {
  return spoken('Show me around.', [
    'Welcome to agenc. Nothing here is real: a stand-in answers in place of Claude, in a tmux and a home of their own, and all of it is gone when you leave.',
    'Each window is a mission: a Claude with its own copy of a repo. The line at the bottom names them, with - for idle, * for busy and ! for those that wait for you.',
    ...(keys.remark ? [keys.remark] : []),
    `Step 1 of 6: press ${press(keys, 'n')} (${spelled(keys.prefix)}, then a, then n). It starts a mission. Pick lemonade, and press Enter.`,
  ])
}

function forecastWords(keys: TourKeys): string {
  const question = [
    'To find out I would run the check of this repo, and may not without you.',
    'Step 3 of 6: press 1. It answers.',
  ]
  const answer = [
    'It was kelvin: 21 degrees.',
    `Step 4 of 6: press ${press(keys, 'f')}. It forks this mission: try another way, and keep this one.`,
    `Step 6 of 6, back here: press ${press(keys, 'd')}. It detaches, and ends the demo. Before that, look around: ${press(keys, 's')} switches between missions, ${press(keys, '?')} shows all keys.`,
  ]
  return `Why is Sunday so hot? ${text(question)} + [[bash sh check.sh]] ${text(answer)}`
}

function spoken(prompt: string, paragraphs: readonly string[]): string {
  return `${prompt} ${text(paragraphs)}`
}

function text(paragraphs: readonly string[]): string {
  return `[[text ${paragraphs.join('\n\n')}]]`
}

/** `C-b` for those who do not know how tmux writes keys. */
function spelled(prefix: string): string {
  const [, key] = /^C-(.+)$/.exec(prefix) ?? []
  return key === undefined ? prefix : `Ctrl and ${key}`
}

/** The files of a repo, by path. */
export type Sample = Record<string, string>

/** The repos of the tour. */
export const tourSamples: Record<string, Sample> = {
  'demo/lemonade': {
    'README.md': '# lemonade\n\nA stand, a table, and what is sold there.\n',
    'menu.txt': 'lemonade      2.00\nmint tea      1.50\n',
  },
  'demo/weather': {
    'README.md': '# weather\n\nWhat it will be like, a line a day.\n',
    'forecast.csv': 'friday,18\nsaturday,21\nsunday,294\n',
    'check.sh': `while IFS=, read -r day degrees; do
  if [ "$degrees" -gt 60 ]; then echo "$day: $degrees degrees, that is kelvin"; fi
done <forecast.csv
`,
  },
}
