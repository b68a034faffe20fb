import { parseArgs } from 'node:util'
import type { Effort } from './contest.ts'
import { type Row, type RowName, rows } from './rows.ts'

export interface Options {
  only: RowName[]
  rounds: number | null
  quick: boolean
  check: boolean
  json: boolean
  write: boolean
  install: boolean
}

export const usage = `usage: npm run bench -- [--only <row>]… [--rounds <n>] [--quick] [--check] [--json] [--write] [--install]

  --only     measure these rows: ${rows.map(({ name }) => name).join(', ')}
  --rounds   so many rounds a row, neither more nor fewer
  --quick    a quarter of the rounds, without the rows that take long to prepare
  --check    exit 1 when a limit is missed
  --json     print JSON instead of the table
  --write    write docs/benchmarks.md and its plot
  --install  measure an installation too, which takes minutes and the network`

/** Throws an Error whose message is for the user. */
export function parseOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      install: { type: 'boolean', default: false },
    },
  })
  const only = values.only.flatMap(text => text.split(','))
  const unknown = only.find(name => !rows.some(row => row.name === name))
  if (unknown !== undefined) throw new Error(`there is no row ${JSON.stringify(unknown)}`)
  const rounds = values.rounds === undefined ? null : Number(values.rounds)
  if (rounds !== null && !(Number.isInteger(rounds) && rounds > 0)) throw new Error('--rounds takes a number')
  if (values.write && (values.quick || only.length > 0)) throw new Error('--write takes a whole run')
  return { ...values, only: only as RowName[], rounds }
}

const slow: readonly RowName[] = ['idle', 'kill', 'growth-switch']

export function chosenRows({ only, quick, install }: Options): Row[] {
  if (only.length > 0) return rows.filter(({ name }) => only.includes(name))
  return rows.filter(({ name }) => (install || name !== 'install') && !(quick && slow.includes(name)))
}

const budgetMs = 30_000

export function effortFor({ rounds }: Row, options: Options): Effort {
  if (options.rounds !== null) return { rounds: options.rounds, mostFold: 1, budgetMs }
  if (options.quick)
    return { rounds: Math.max(3, Math.ceil(rounds / 4)), mostFold: 2, budgetMs: budgetMs / 6 }
  return { rounds, mostFold: 4, budgetMs }
}
