import { openQuietWindows, openSession } from '../bench-session.ts'
import { type Box, Cleanup, openBox, timeAgenc } from '../box.ts'
import { type Case, type Comparison, compare, type Figure, median } from '../comparison.ts'
import { storeMissions } from '../stored-missions.ts'
import { compareSwitcher } from './pickers.ts'
import { assertListed } from './start-up.ts'

type Measure = () => Promise<number>

const [few, some, many] = [10, 100, 1_000]
const running = 10

/** Compares the largest number of missions with the smallest. The one in between is only reported. */
async function grow(
  box: Box,
  measureAt: (box: Box, missions: number) => Promise<Measure>,
): Promise<Comparison> {
  const floor = await measureAt(box, few)
  const between = await measureAt(openBox(box.cleanup), some)
  const subject = await measureAt(openBox(box.cleanup), many)
  const betweenMs: number[] = []
  return {
    floor,
    subject: async () => {
      betweenMs.push(await between())
      return subject()
    },
    figures: () => [{ label: `with ${some}`, value: median(betweenMs), unit: 'ms', atMost: null }],
  }
}

/** The same number of missions is running at every size. */
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

export const switchGrowth: Case = {
  prepare: async box => {
    const figures = await withThousandWindows(box.cleanup)
    const comparison = await grow(box, async (sized, missions) => {
      return (await compareSwitcher(sized, missions, running)).subject
    })
    return { ...comparison, figures: () => [...comparison.figures!(), ...figures] }
  },
}

const largeRounds = 5

/** More windows than tmux is made for, so the result is reported next to what tmux and fzf need by themselves. */
async function withThousandWindows(parent: Cleanup): Promise<Figure[]> {
  const cleanup = new Cleanup()
  parent.add(() => cleanup.run())
  const comparison = await compareSwitcher(openBox(cleanup), many, many)
  const { pairs } = await compare(comparison, null, { rounds: largeRounds, maxFactor: 1, budgetMs: 0 })
  await cleanup.run()
  const figure = (label: string, values: number[]) => ({
    label,
    value: median(values),
    unit: 'ms',
    atMost: null,
  })
  const subjects = pairs.map(({ subject }) => subject)
  const floors = pairs.map(({ floor }) => floor)
  return [figure('with 1,000 windows', subjects), figure('tmux and fzf alone with 1,000 windows', floors)]
}
