import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setUp } from './setup.mjs'

setUp()
const vitest = join(import.meta.dirname, '..', 'node_modules', 'vitest', 'vitest.mjs')
const words = process.argv.slice(2)

function run(args, env = {}) {
  const done = spawnSync(process.execPath, [vitest, 'run', ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  return done.status ?? 1
}

// The comparison with the real Claude depends on timing, so it runs last and with no other tests beside it.
process.exitCode =
  run(words) ||
  (words.length > 0 ? 0 : run(['test/conformance/real-claude.test.ts'], { AGENC_TEST_REAL: '1' }))
