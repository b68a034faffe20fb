import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Cleanup, openBox, projectRoot } from './box.ts'
import { cases } from './cases/index.ts'
import { compare, type Measured, type Outcome, outcomeOf } from './comparison.ts'
import { describeMachine, machineLines } from './machine.ts'
import { chosenRows, effortFor, type Options, parseOptions, usage } from './options.ts'
import { benchmarksPage, outcomeLine, ratioPlot } from './report.ts'
import type { Row } from './rows.ts'

const exitUsage = 64
const cleanup = new Cleanup()

async function main(options: Options): Promise<void> {
  const machine = describeMachine(new Date())
  const print = options.json ? console.error : console.log
  build()
  for (const line of machineLines(machine)) print(line)
  const outcomes: Outcome[] = []
  for (const row of chosenRows(options)) {
    const measured = await measure(row, options).catch(error => reportFailure(row, error))
    if (measured === null) continue
    const outcome = outcomeOf(row, measured)
    outcomes.push(outcome)
    print(outcomeLine(outcome))
  }
  if (options.json) console.log(JSON.stringify({ machine, outcomes }, null, 2))
  if (options.write) {
    writeFileSync(join(projectRoot, 'docs', 'benchmarks.md'), benchmarksPage(machine, outcomes))
    writeFileSync(join(projectRoot, 'docs', 'benchmarks.svg'), ratioPlot(outcomes))
  }
  if (options.check && outcomes.some(({ verdict }) => verdict === 'missed')) process.exitCode = 1
}

async function measure(row: Row, options: Options): Promise<Measured> {
  const rowCase = cases[row.name]
  try {
    const box = openBox(cleanup)
    if ('measureFigures' in rowCase) return { pairs: [], figures: await rowCase.measureFigures(box) }
    return await compare(await rowCase.prepare(box), row.atMost, effortFor(row, options))
  } finally {
    await cleanup.run()
  }
}

/** A failed row does not stop the others. */
function reportFailure({ name }: Row, error: Error): null {
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

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void cleanup.run().finally(() => process.exit(1)))
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
