import type { TourKeys } from './tour.ts'

/** Keys as tmux names them, text to type, or a pattern to wait for until it has left the screen. */
export type Act = { press: readonly string[] } | { type: string } | { gone: RegExp }

/** One step of the tour, and how to recognize that it is done. */
export interface Step {
  caption: string
  does: readonly Act[]
  /** Patterns that the screen shows afterwards. */
  shows: readonly RegExp[]
  /** Patterns that it no longer shows. */
  hides?: readonly RegExp[]
}

/** The tour's row in the switcher, which narrow terminals cut off. */
const tourRow = /\(blank\) +\d+[smhd]\b/

/** The tour as a user would walk it. */
export function tourSteps({ prefix }: TourKeys): Step[] {
  const keys = (key: string) => ({ press: [prefix, 'a', key] })
  const name = (key: string) => `${prefix} a ${key}`
  return [
    {
      caption: 'The agenc session: every window is a mission',
      does: [],
      shows: [/Step 1 of 6/, /\?forecast|1 waiting/],
    },
    {
      caption: `${name('n')}: start a mission, and pick a repo for it`,
      does: [keys('n')],
      shows: [/lemonade/, /weather/, /\(blank\)/],
    },
    {
      caption: 'Enter: it gets its own window, Claude and copy of the repo',
      // The list is filtered a moment after the keys: Enter would pick something else.
      does: [{ type: 'lemonade' }, { gone: /\(blank\)/ }, { press: ['Enter'] }],
      shows: [/Step 2 of 6/],
      hides: [/\(blank\)/],
    },
    {
      caption: `${name('a')}: go to the mission that waits`,
      does: [keys('a')],
      shows: [/Do you want to proceed\?/, /sh check\.sh/],
    },
    {
      caption: '1: allow it, and Claude continues',
      does: [{ press: ['1'] }],
      shows: [/Step 4 of 6/, /Step 6 of 6/],
      hides: [/Do you want to proceed\?/],
    },
    {
      caption: `${name('s')}: all missions, those that wait first`,
      does: [keys('s')],
      shows: [tourRow],
    },
    {
      caption: `${name('f')}: fork the mission, with its files and its conversation`,
      does: [{ press: ['Escape'] }, { gone: tourRow }, keys('f')],
      shows: [/Step 5 of 6/],
    },
    {
      caption: '/exit: the window closes, and its parent window is in front',
      does: [{ type: '/exit' }, { press: ['Enter'] }],
      shows: [/Step 4 of 6/, /Step 6 of 6/],
      hides: [/Step 5 of 6/],
    },
  ]
}
