import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { postGuard } from '../../src/system/guard.ts'
import { type Runner, systemRunner } from '../../src/system/runner.ts'
import { temporaryDirectory } from '../helpers/cli.ts'
import { needLinux } from '../helpers/needs.ts'
import { isAlive, untilGone } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'

test('a guard that was killed is replaced, and the last one is gone when it is dismissed', async () => {
  const guard = postGuard(systemRunner, ['true'], process.env)
  const first = guard.pid!
  process.kill(first, 'SIGKILL')
  const second = await waitFor('another guard', () => guard.pid !== first && guard.pid)
  process.kill(second, 'SIGKILL')
  const third = await waitFor('a third guard', () => guard.pid !== second && guard.pid)
  expect(isAlive(third)).toBe(true)
  await guard.dismiss()
  await untilGone(third)
})

test('a guard ignores the signals that end a program', async context => {
  needLinux(context)
  const guard = postGuard(systemRunner, ['true'], process.env)
  onTestFinished(() => guard.dismiss())
  const names = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2'] as const
  await waitFor('the shell to ignore them', () => {
    const [, mask] = /SigIgn:\s*([0-9a-f]+)/.exec(readFileSync(`/proc/${guard.pid}/status`, 'utf8')) ?? []
    return names.every(name => (BigInt(`0x${mask}`) >> BigInt(constants.signals[name] - 1)) & 1n)
  })
})

test.each([
  ['dies at once', ['/bin/sh', ['-c', 'exit 1']]],
  ['cannot be started', ['/nowhere/sh', []]],
] as const)('a guard that %s is not started again and again', async (_title, [file, args]) => {
  const starts = join(temporaryDirectory(), 'starts')
  const exec: Runner = {
    ...systemRunner,
    start: (_file, _args, options) => {
      appendFileSync(starts, '.')
      return systemRunner.start(file, args, options)
    },
  }
  const guard = postGuard(exec, ['true'], process.env)
  await waitFor('a second attempt', () => existsSync(starts) && readFileSync(starts, 'utf8').length === 2)
  const sinceMs = performance.now()
  await waitFor('a third attempt', () => readFileSync(starts, 'utf8').length === 3)
  expect(performance.now() - sinceMs).toBeGreaterThan(1_500)
  await guard.dismiss()
})
