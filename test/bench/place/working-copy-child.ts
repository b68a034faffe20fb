import { createWorkingCopy } from '../../../src/repo/working-copy.ts'
import { systemRunner } from '../../../src/system/runner.ts'

/** `working-copy-child <library repo> <destination>` prints the milliseconds that the copy took. */
const [source = '', destination = ''] = process.argv.slice(2)
const beforeMs = performance.now()
await createWorkingCopy({
  exec: systemRunner,
  env: process.env,
  source,
  destination,
  remoteUrl: 'https://example.com/bench/large.git',
  trusted: true,
})
process.stdout.write(String(performance.now() - beforeMs))
