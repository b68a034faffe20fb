import { describe, expect, test } from 'vitest'
import { hold } from '../bench/contest.ts'
import { chosenRows, effortFor, parseOptions } from '../bench/options.ts'
import { outcomeOf } from '../bench/outcome.ts'
import { benchmarksPage } from '../bench/report/markdown.ts'
import { ratioPlot } from '../bench/report/plot.ts'
import { outcomeLine } from '../bench/report/text.ts'
import { rows, workingCopyAtMost } from '../bench/rows.ts'
import { isUndecided, median, medianInterval, ratiosOf } from '../bench/statistics.ts'

const row = (name: string) => rows.find(found => found.name === name)!
const pairs = (ratios: number[]) => ratios.map(ratio => ({ subject: ratio * 10, floor: 10 }))
const machine = {
  agenc: '1.0.0',
  cpu: 'Abacus',
  cores: 2,
  memoryGiB: 8,
  system: 'Linux 6',
  node: '20.17.0',
  tmux: '3.2',
  fzf: '0.38',
  git: '2.39',
  load: 0.1,
  date: '2030-01-01',
}

test('the limits that were agreed', () => {
  expect(Object.fromEntries(rows.map(({ name, atMost }) => [name, atMost]))).toEqual({
    'ls-10': 1.3,
    'ls-1000': 1.6,
    help: 1.5,
    'mission-help': 1.5,
    'switch-picker': 1.3,
    'new-picker': 1.5,
    hook: 3,
    'new-mission': 1.6,
    'working-copy': 1.2,
    resume: 1.4,
    idle: null,
    memory: 1.3,
    'growth-status': 2,
    'growth-ls': 2,
    'growth-switch': 2,
    kill: 3,
    install: null,
  })
  expect(workingCopyAtMost).toEqual({ copyOnWrite: 0.5, otherwise: 1.2 })
})

test('every limit stands beside a floor', () => {
  expect(rows.filter(({ floor, atMost }) => (floor === null) !== (atMost === null))).toEqual([])
})

describe('figures', () => {
  test('the median of an odd and an even number', () => {
    expect(median([9, 1, 5])).toBe(5)
    expect(median([9, 1, 5, 7])).toBe(6)
  })

  test('ratios are taken round by round', () => {
    const noisy = [
      { subject: 12, floor: 10 },
      { subject: 120, floor: 100 },
      { subject: 13, floor: 10 },
    ]
    expect(ratiosOf(noisy)).toEqual([1.2, 1.2, 1.3])
    expect(outcomeOf(row('help'), { pairs: noisy, figures: [] })).toMatchObject({
      subject: 13,
      floor: 10,
      ratio: 1.2,
      verdict: 'held',
    })
  })

  test.each([
    [3, 1, 3],
    [6, 1, 6],
    [9, 2, 8],
    [25, 8, 18],
    [100, 40, 61],
  ])(
    'of %i values the median lies between the one in place %i and the one in place %i',
    (count, low, high) => {
      const values = Array.from({ length: count }, (_, index) => index + 1)
      expect(medianInterval(values)).toEqual({ low, high })
    },
  )

  test('undecided as long as the limit lies within the noise', () => {
    const spread = pairs([1.1, 1.2, 1.3, 1.4, 1.5, 1.6])
    expect([1, 1.1, 1.4, 1.6, 2].map(limit => isUndecided(spread, limit))).toEqual([
      false,
      true,
      true,
      false,
      false,
    ])
    expect(isUndecided(spread, null)).toBe(false)
  })
})

describe('rounds', () => {
  const contest = (ratios: number[]) => {
    const calls: string[] = []
    const next = (side: string, value: number) => {
      calls.push(side)
      return Promise.resolve(value)
    }
    let round = 0
    return {
      calls,
      subject: () => next('subject', 10 * ratios[round++ % ratios.length]!),
      floor: () => next('floor', 10),
    }
  }

  test('take turns, after one that does not count', async () => {
    const watched = contest([1])
    const { pairs: measured } = await hold(watched, 2, { rounds: 2, mostFold: 4, budgetMs: 1_000 })
    expect(measured).toHaveLength(2)
    expect(watched.calls).toEqual(['subject', 'floor', 'subject', 'floor', 'floor', 'subject'])
  })

  test('go on while the limit lies within the noise, but not for ever', async () => {
    const effort = { rounds: 6, mostFold: 3, budgetMs: 60_000 }
    expect((await hold(contest([1, 3]), 2, effort)).pairs).toHaveLength(18)
    expect((await hold(contest([1, 3]), 2, { ...effort, budgetMs: 0 })).pairs).toHaveLength(6)
    expect((await hold(contest([1, 1.1]), 2, effort)).pairs).toHaveLength(6)
  })

  test('where conditions decide the limit, theirs counts', async () => {
    const measured = await hold({ ...contest([1]), atMost: 0.5 }, 1.2, {
      rounds: 3,
      mostFold: 1,
      budgetMs: 0,
    })
    expect(outcomeOf(row('working-copy'), measured)).toMatchObject({ atMost: 0.5, verdict: 'missed' })
  })
})

test('figures have limits of their own', () => {
  const figure = (value: number, atMost: number | null) => ({ label: 'tmux calls', value, unit: '', atMost })
  const verdict = (...figures: ReturnType<typeof figure>[]) =>
    outcomeOf(row('idle'), { pairs: [], figures }).verdict
  expect(verdict(figure(0, 0), figure(9, null))).toBe('held')
  expect(verdict(figure(1, 0))).toBe('missed')
  expect(verdict(figure(1, null))).toBe('shown')
})

describe('options', () => {
  test('an installation only when it is asked for, and nothing slow when it should be quick', () => {
    const names = (...argv: string[]) => chosenRows(parseOptions(argv)).map(({ name }) => name)
    expect(names()).toEqual(rows.map(({ name }) => name).filter(name => name !== 'install'))
    expect(names('--install')).toContain('install')
    expect(names('--quick')).not.toContain('idle')
    expect(names('--only', 'idle,help', '--only', 'kill')).toEqual(['help', 'idle', 'kill'])
  })

  test('rounds that were asked for are kept to', () => {
    expect(effortFor(row('help'), parseOptions(['--rounds', '7']))).toMatchObject({ rounds: 7, mostFold: 1 })
    expect(() => parseOptions(['--rounds', 'many'])).toThrow('--rounds takes a number')
    expect(() => parseOptions(['--write', '--quick'])).toThrow('--write takes a whole run')
    expect(() => parseOptions(['--only', 'nothing'])).toThrow('there is no row "nothing"')
  })
})

test('a report names what was measured, the limit and whether it held', () => {
  const held = outcomeOf(row('help'), { pairs: pairs([1.2, 1.2, 1.3]), figures: [] })
  const figures = [{ label: 'with one mission', value: 70, unit: 'ms', atMost: null }]
  const missed = outcomeOf(row('kill'), { pairs: pairs([4]), figures })
  expect(outcomeLine(held)).toBe(
    'help           held    12 / 10 ms  1.20 × [1.20–1.30]  at most 1.5  3 rounds',
  )
  const page = benchmarksPage(machine, [held, missed])
  expect(page).toContain(
    '| `agenc --help` | 12 ms | an empty Node script | 10 ms | 1.20 ×<br>1.20–1.30, 3 rounds | 1.5 × | yes |',
  )
  expect(page).toContain('| 3 × | **no** |')
  expect(page).toContain(
    `## Where a limit is missed\n\n**kill.** ${row('kill').why}\n\n- with one mission 70 ms\n\n## How`,
  )
  expect(benchmarksPage(machine, [held])).not.toContain('Where a limit is missed')
  expect(page).toContain('Abacus, 2 cores')
  const plot = ratioPlot([held, missed])
  expect(plot.match(/>4\.00 ×</g)).toHaveLength(1)
  expect(plot).toContain('>kill<')
})
