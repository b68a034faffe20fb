import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cases } from './cases/index.ts'
import { hold } from './contest.ts'
import { describeMachine, machineLines } from './machine.ts'
import { chosenRows, effortFor, type Options, parseOptions, usage } from './options.ts'
import { type Measured, type Outcome, outcomeOf } from './outcome.ts'
import { openBox } from './place/box.ts'
import { Leftovers } from './place/leftovers.ts'
import { projectRoot } from './place/root.ts'
import { benchmarksPage } from './report/markdown.ts'
import { ratioPlot } from './report/plot.ts'
import { outcomeLine } from './report/text.ts'
import type { Row } from './rows.ts'

const exitUsage = 64
const leftovers = new Leftovers()

async function main(options: Options): Promise<void> {
  const machine = describeMachine(new Date())
  const say = options.json ? console.error : console.log
  build()
  for (const line of machineLines(machine)) say(line)
  const outcomes: Outcome[] = []
  for (const row of chosenRows(options)) {
    const measured = await measure(row, options).catch(error => notMeasured(row, error))
    if (measured === null) continue
    const outcome = outcomeOf(row, measured)
    outcomes.push(outcome)
    say(outcomeLine(outcome))
  }
  if (options.json) console.log(JSON.stringify({ machine, outcomes }, null, 2))
  if (options.write) {
    writeDocument('benchmarks.md', benchmarksPage(machine, outcomes))
    writeDocument('benchmarks.svg', ratioPlot(outcomes))
  }
  if (options.check && outcomes.some(({ verdict }) => verdict === 'missed')) process.exitCode = 1
}

async function measure(row: Row, options: Options): Promise<Measured> {
  const measured = cases[row.name]
  try {
    const box = openBox(leftovers)
    if ('survey' in measured) return { pairs: [], figures: await measured.survey(box) }
    return await hold(await measured.prepare(box), row.atMost, effortFor(row, options))
  } finally {
    await leftovers.clear()
  }
}

/** The other rows are worth having all the same. */
function notMeasured({ name }: Row, error: Error): null {
  console.error(`bench: ${name} could not be measured: ${error.stack}`)
  process.exitCode = 1
  return null
}

function build(): void {
  const { status } = spawnSync(process.execPath, [join(projectRoot, 'scripts', 'build.mjs')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) throw new Error('the build failed')
}

function writeDocument(name: string, text: string): void {
  mkdirSync(join(projectRoot, 'docs'), { recursive: true })
  writeFileSync(join(projectRoot, 'docs', name), text)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void leftovers.clear().finally(() => process.exit(1)))
}

function optionsOrUsage(argv: readonly string[]): Options | null {
  try {
    return parseOptions(argv)
  } catch (error) {
    console.error(`bench: ${(error as Error).message}\n\n${usage}`)
    return null
  }
}

const options = optionsOrUsage(process.argv.slice(3))
if (options === null) process.exitCode = exitUsage
else await main(options)
