import { createWorkingCopy } from '../../../src/repo/working-copy.ts'
import { systemRunner } from '../../../src/system/runner.ts'

/** `working-copy-child <library repo> <destination>`: prints how many milliseconds the copy took. */
const [source = '', destination = ''] = process.argv.slice(2)
const beforeMs = performance.now()
createWorkingCopy({
  exec: systemRunner,
  env: process.env,
  source,
  destination,
  remoteUrl: 'https://example.com/bench/large.git',
  trusted: true,
}).then(() => process.stdout.write(String(performance.now() - beforeMs)))
