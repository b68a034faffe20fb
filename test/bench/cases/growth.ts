import { type Contest, hold } from '../contest.ts'
import type { Figure } from '../outcome.ts'
import { type Box, openBox } from '../place/box.ts'
import { Leftovers } from '../place/leftovers.ts'
import { openQuietWindows, openSession } from '../place/session.ts'
import { storeMissions } from '../place/store.ts'
import { timeAgenc } from '../place/timing.ts'
import { median } from '../statistics.ts'
import type { Case } from './case.ts'
import { switchContest } from './pickers.ts'
import { assertListed } from './start-up.ts'

type Measure = () => Promise<number>

const [few, some, many] = [10, 100, 1_000]
const running = 10

/** The smallest is the floor; the one between is shown. */
async function grow(box: Box, measureAt: (box: Box, missions: number) => Promise<Measure>): Promise<Contest> {
  const floor = await measureAt(box, few)
  const between = await measureAt(openBox(box.leftovers), some)
  const subject = await measureAt(openBox(box.leftovers), many)
  const betweenMs: number[] = []
  return {
    floor,
    subject: async () => {
      betweenMs.push(await between())
      return subject()
    },
    figures: () => [{ label: `at ${some}`, value: median(betweenMs), unit: 'ms', atMost: null }],
  }
}

/** As many run at every size. */
export function commandGrowth(...args: string[]): Case {
  return {
    prepare: box =>
      grow(box, async (sized, missions) => {
        const stored = await storeMissions(sized, missions)
        await openQuietWindows(sized, openSession(sized), stored.slice(0, running))
        assertListed(sized, missions, running)
        return async () => timeAgenc(sized, args)
      }),
  }
}

/** From key press to rows. */
export const switchGrowth: Case = {
  prepare: async box => {
    const figures = await allWithWindows(box.leftovers)
    const contest = await grow(box, async (sized, missions) => {
      return (await switchContest(sized, missions, running)).subject
    })
    return { ...contest, figures: () => [...contest.figures!(), ...figures] }
  },
}

const looks = 5

/** Beyond what tmux itself is made for: shown beside what tmux alone takes for so many windows. */
async function allWithWindows(leftovers: Leftovers): Promise<Figure[]> {
  const own = new Leftovers()
  leftovers.add(() => own.clear())
  const contest = await switchContest(openBox(own), many, many)
  const { pairs } = await hold(contest, null, { rounds: looks, mostFold: 1, budgetMs: 0 })
  await own.clear()
  const shown = (label: string, values: number[]) => ({
    label,
    value: median(values),
    unit: 'ms',
    atMost: null,
  })
  return [
    shown(
      'with 1,000 windows',
      pairs.map(({ subject }) => subject),
    ),
    shown(
      'tmux and fzf alone with as many',
      pairs.map(({ floor }) => floor),
    ),
  ]
}
