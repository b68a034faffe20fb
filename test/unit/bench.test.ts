import { describe, expect, test } from 'vitest'
import { compare, isUndecided, median, medianInterval, outcomeOf, ratiosOf } from '../bench/comparison.ts'
import { chosenRows, effortFor, parseOptions } from '../bench/options.ts'
import { benchmarksPage, outcomeLine, ratioPlot } from '../bench/report.ts'
import { rows, workingCopyAtMost } from '../bench/rows.ts'

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

test('the limits are the agreed ones', () => {
  expect(Object.fromEntries(rows.map(({ name, atMost }) => [name, atMost]))).toEqual({
    'ls-10': 1.5,
    'ls-1000': 1.25,
    help: 1.5,
    'mission-help': 1.5,
    'switch-picker': 1.3,
    'new-picker': 1.3,
    hook: 2,
    'new-mission': 1.7,
    'working-copy': 1.2,
    checkpoint: 3,
    'diff-stat': null,
    print: null,
    resume: 1.5,
    wait: null,
    send: null,
    idle: null,
    memory: 1.6,
    'growth-status': 2,
    'growth-ls': 2,
    'growth-switch': 2,
    kill: null,
    install: null,
  })
  expect(workingCopyAtMost).toEqual({ copyOnWrite: 0.5, otherwise: 1.2 })
})

test('every row with a limit has a floor', () => {
  expect(rows.filter(({ floor, atMost }) => floor === null && atMost !== null)).toEqual([])
})

describe('statistics', () => {
  test('the median of an odd and of an even number of values', () => {
    expect(median([9, 1, 5])).toBe(5)
    expect(median([9, 1, 5, 7])).toBe(6)
  })

  test('ratios are taken within each round', () => {
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
      verdict: 'met',
    })
  })

  test.each([
    [3, 1, 3],
    [6, 1, 6],
    [9, 2, 8],
    [25, 8, 18],
    [100, 40, 61],
  ])('the interval of %i sorted values reaches from number %i to number %i', (count, low, high) => {
    const values = Array.from({ length: count }, (_, index) => index + 1)
    expect(medianInterval(values)).toEqual({ low, high })
  })

  test('a result is undecided while the limit lies inside the interval', () => {
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
  const comparison = (ratios: number[]) => {
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

  test('the two sides take turns after a warm-up round', async () => {
    const watched = comparison([1])
    const { pairs: measured } = await compare(watched, 2, { rounds: 2, maxFactor: 4, budgetMs: 1_000 })
    expect(measured).toHaveLength(2)
    expect(watched.calls).toEqual(['subject', 'floor', 'subject', 'floor', 'floor', 'subject'])
  })

  test('an undecided result gets more rounds, up to a factor and a time budget', async () => {
    const effort = { rounds: 6, maxFactor: 3, budgetMs: 60_000 }
    expect((await compare(comparison([1, 3]), 2, effort)).pairs).toHaveLength(18)
    expect((await compare(comparison([1, 3]), 2, { ...effort, budgetMs: 0 })).pairs).toHaveLength(6)
    expect((await compare(comparison([1, 1.1]), 2, effort)).pairs).toHaveLength(6)
  })

  test("a comparison's own limit replaces the row's", async () => {
    const measured = await compare({ ...comparison([1]), atMost: 0.5 }, 1.2, {
      rounds: 3,
      maxFactor: 1,
      budgetMs: 0,
    })
    expect(outcomeOf(row('working-copy'), measured)).toMatchObject({ atMost: 0.5, verdict: 'missed' })
  })
})

test('figures have limits of their own', () => {
  const figure = (value: number, atMost: number | null) => ({
    label: 'calls to tmux',
    value,
    unit: '',
    atMost,
  })
  const verdict = (...figures: ReturnType<typeof figure>[]) =>
    outcomeOf(row('idle'), { pairs: [], figures }).verdict
  expect(verdict(figure(0, 0), figure(9, null))).toBe('met')
  expect(verdict(figure(1, 0))).toBe('missed')
  expect(verdict(figure(1, null))).toBe('no limit')
})

describe('options', () => {
  test('the installation is measured on request only, and --quick skips slow rows', () => {
    const names = (...argv: string[]) => chosenRows(parseOptions(argv)).map(({ name }) => name)
    expect(names()).toEqual(rows.map(({ name }) => name).filter(name => name !== 'install'))
    expect(names('--install')).toContain('install')
    expect(names('--quick')).not.toContain('idle')
    expect(names('--only', 'idle,help', '--only', 'kill')).toEqual(['help', 'idle', 'kill'])
  })

  test('--rounds is exact, and bad options are refused', () => {
    expect(effortFor(row('help'), parseOptions(['--rounds', '7']))).toMatchObject({ rounds: 7, maxFactor: 1 })
    expect(() => parseOptions(['--rounds', 'many'])).toThrow('--rounds')
    expect(() => parseOptions(['--write', '--quick'])).toThrow('--write')
    expect(() => parseOptions(['--only', 'nothing'])).toThrow('"nothing"')
  })
})

test('a report names what was measured, its limit and whether the limit was met', () => {
  const met = outcomeOf(row('help'), { pairs: pairs([1.2, 1.2, 1.3]), figures: [] })
  const figures = [{ label: 'with 100', value: 70, unit: 'ms', atMost: null }]
  const missed = outcomeOf(row('growth-ls'), { pairs: pairs([4]), figures })
  const unlimited = outcomeOf(row('kill'), { pairs: pairs([5]), figures: [] })
  expect(outcomeLine(met)).toBe(
    'help           met     12 / 10 ms  1.20 × [1.20–1.30]  at most 1.5  3 rounds',
  )
  const page = benchmarksPage(machine, [met, missed, unlimited])
  expect(page).toContain(
    '| `agenc --help` | 12 ms | an empty Node script | 10 ms | 1.20 ×<br>1.20–1.30, 3 rounds | 1.5 × | yes |',
  )
  expect(page).toContain('| 40 ms<br>with 100: 70 ms |')
  expect(page).toContain('| 2 × | **no** |')
  expect(page).toContain('| 5.00 ×<br>5.00–5.00, 1 round |  |  |')
  expect(page).toContain('Abacus, 2 cores')
  const plot = ratioPlot([met, missed, unlimited])
  expect(plot.match(/>4\.00 ×</g)).toHaveLength(1)
  expect(plot).toContain('>kill<')
})
