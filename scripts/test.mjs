import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setUp } from './setup.mjs'

setUp()
const vitest = join(import.meta.dirname, '..', 'node_modules', 'vitest', 'vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', ...process.argv.slice(2)], {
  stdio: 'inherit',
})
process.exitCode = status ?? 1
