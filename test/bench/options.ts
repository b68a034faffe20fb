import { parseArgs } from 'node:util'
import type { Effort } from './comparison.ts'
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

  --only     measure only these rows: ${rows.map(({ name }) => name).join(', ')}
  --rounds   run exactly this many rounds per row
  --quick    run a quarter of the rounds, and skip rows that take long to prepare
  --check    exit with 1 if a limit is missed
  --json     print JSON instead of the table
  --write    write docs/benchmarks.md and docs/benchmarks.svg
  --install  also measure an installation, which takes minutes and needs the network`

/** Throws an Error with a message for the user. */
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
  if (unknown !== undefined) throw new Error(`unknown row ${JSON.stringify(unknown)}`)
  const rounds = values.rounds === undefined ? null : Number(values.rounds)
  if (rounds !== null && !(Number.isInteger(rounds) && rounds > 0))
    throw new Error('--rounds needs a positive number')
  if (values.write && (values.quick || only.length > 0))
    throw new Error('--write needs a full run, without --quick or --only')
  return { ...values, only: only as RowName[], rounds }
}

const slow: readonly RowName[] = ['idle', 'kill', 'growth-switch']

export function chosenRows({ only, quick, install }: Options): Row[] {
  if (only.length > 0) return rows.filter(({ name }) => only.includes(name))
  return rows.filter(({ name }) => (install || name !== 'install') && !(quick && slow.includes(name)))
}

const budgetMs = 30_000

export function effortFor({ rounds }: Row, options: Options): Effort {
  if (options.rounds !== null) return { rounds: options.rounds, maxFactor: 1, budgetMs }
  if (options.quick)
    return { rounds: Math.max(3, Math.ceil(rounds / 4)), maxFactor: 2, budgetMs: budgetMs / 6 }
  return { rounds, maxFactor: 4, budgetMs }
}
