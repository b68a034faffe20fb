import type { Contest } from '../contest.ts'
import { type Box, openBox } from '../place/box.ts'
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

/** From key press to rows; here every mission has a window. */
export const switchGrowth: Case = {
  prepare: box => grow(box, async (sized, missions) => (await switchContest(sized, missions)).subject),
}
