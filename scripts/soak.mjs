// `npm run soak -- --seed 7 --minutes 10 --missions 100`: random operations and faults, with the same assertions as
// after every fault. Prints its seed; the same seed gives the same operations.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setUp } from './setup.mjs'

const exitUsage = 64
const usage = 'npm run soak [-- --seed <number> --minutes <number> --missions <number>]'

function options() {
  try {
    const { values } = parseArgs({
      options: {
        seed: { type: 'string' },
        minutes: { type: 'string', default: '10' },
        missions: { type: 'string', default: '30' },
      },
    })
    const numbers = Object.entries(values).map(([name, value]) => [name, Number(value)])
    if (numbers.some(([, value]) => !(value >= 0))) throw new Error('each option takes a number')
    return Object.fromEntries(numbers)
  } catch (error) {
    console.error(`soak: ${error.message}\nUsage: ${usage}`)
    process.exit(exitUsage)
  }
}

const { seed = Math.floor(Math.random() * 1_000_000), minutes, missions } = options()
setUp()
const vitest = join(import.meta.dirname, '..', 'node_modules', 'vitest', 'vitest.mjs')
const args = [vitest, 'run', '--disable-console-intercept=true', 'test/faults/soak.test.ts']
const { status } = spawnSync(process.execPath, args, {
  stdio: 'inherit',
  env: {
    ...process.env,
    AGENC_SOAK_SEED: String(seed),
    AGENC_SOAK_SECONDS: String(minutes * 60),
    AGENC_SOAK_MISSIONS: String(missions),
  },
})
process.exitCode = status ?? 1
