import type { TourKeys } from './tour.ts'

/** Keys as tmux names them, text to be typed, or something to wait for until it is gone. */
export type Act = { press: readonly string[] } | { type: string } | { gone: RegExp }

/** One thing to do in the tour, and how to know that it is done. */
export interface Step {
  caption: string
  does: readonly Act[]
  /** What the screen shows then. */
  shows: readonly RegExp[]
  /** And what it no longer shows. */
  hides?: readonly RegExp[]
}

/** As the switcher lists it, cut on narrow terminals. */
const tourRow = /[0-9a-f]{8} +\(blank\)/
/** One in the window, and one in fzf's preview of another. */
const twoPrompts = /manual mode on[\s\S]*manual mode on/

/** The tour as a user would walk it. */
export function tourSteps({ prefix }: TourKeys, { hasFzf }: { hasFzf: boolean }): Step[] {
  const keys = (key: string) => ({ press: [prefix, 'a', key] })
  const name = (key: string) => `${prefix} a ${key}`
  return [
    {
      caption: 'The agenc session: every window is a mission',
      does: [],
      shows: [/Step 1 of 6/, /!\w+ forecast|1 waiting/],
    },
    {
      caption: `${name('n')}: a new mission; on which repo?`,
      does: [keys('n')],
      shows: [/lemonade/, /weather/, /\(blank\)/],
    },
    {
      caption: 'Enter: a window, a Claude and a copy of the repo of its own',
      does: [{ type: 'lemonade' }, { press: ['Enter'] }],
      shows: [/Step 2 of 6/],
      hides: [/\(blank\)/],
    },
    {
      caption: `${name('a')}: there is the one that waits`,
      does: [keys('a')],
      shows: [/Do you want to proceed\?/, /sh check\.sh/],
    },
    {
      caption: '1: answered, and Claude goes on',
      does: [{ press: ['1'] }],
      shows: [/Step 4 of 6/, /Step 6 of 6/],
      hides: [/Do you want to proceed\?/],
    },
    {
      caption: `${name('s')}: all missions, with a look at each`,
      does: [keys('s')],
      shows: [tourRow, ...(hasFzf ? [twoPrompts] : [])],
    },
    {
      caption: `${name('f')}: a fork, with the files and the conversation`,
      does: [{ press: ['Escape'] }, { gone: tourRow }, keys('f')],
      shows: [/Step 5 of 6/],
    },
    {
      caption: '/exit: its window closes, and the one it came from is in front',
      does: [{ type: '/exit' }, { press: ['Enter'] }],
      shows: [/Step 4 of 6/, /Step 6 of 6/],
      hides: [/Step 5 of 6/],
    },
  ]
}
