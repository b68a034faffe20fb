// The long form of the differential test: npm run approvals:hunt -- --minutes 60 --seed 1
import { parseArgs } from 'node:util'
import { findReal, sandboxMaker } from './sandbox.ts'
import { search } from './search.ts'
import { describeFinding } from './trial.ts'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { minutes: { type: 'string', default: '60' }, seed: { type: 'string' } },
})
const minutes = Number(values.minutes)
const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed)
if (!(minutes > 0) || !Number.isInteger(seed)) {
  console.error('usage: npm run approvals:hunt -- [--minutes <number>] [--seed <whole number>]')
  process.exit(64)
}
if (!findReal('zsh')) {
  console.error('zsh is not installed, and the hunt compares bash with zsh. Install zsh first.')
  process.exit(69)
}

console.log(`seed ${seed}, ${minutes} minutes`)
const end = Date.now() + minutes * 60_000
const maker = sandboxMaker()
let interrupted = false
process.once('SIGINT', () => {
  interrupted = true
})
const reported = new Set<string>()
const { candidates, ran, findings } = await search(maker, {
  seed,
  isOver: () => interrupted || Date.now() >= end,
  onFinding: finding => {
    if (reported.has(finding.command)) return
    reported.add(finding.command)
    console.log(describeFinding(finding))
  },
}).finally(() => maker.removeAll())
console.log(
  `seed ${seed}: ${candidates} commands made, ${ran} run in bash and zsh, ${findings.length} findings`,
)
process.exitCode = findings.length > 0 ? 1 : 0
