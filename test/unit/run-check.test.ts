import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemContext } from '../../src/context.ts'
import { type Check, runCheck } from '../../src/loop/run-check.ts'
import { temporaryDirectory } from '../helpers/cli.ts'
import { isAlive } from '../helpers/processes.ts'

function check(command: Check['command'], change: Partial<Check> = {}) {
  const directory = temporaryDirectory()
  const logPath = join(directory, 'log')
  const result = runCheck(systemContext(), {
    command,
    directory,
    env: process.env,
    logPath,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    onStarted: () => {},
    ...change,
  })
  return { result, logPath }
}

test('a check is a shell command or a program, and tells its exit code and its output', async () => {
  expect(await check('echo out; echo err >&2; exit 3').result).toMatchObject({ exit: 3, output: 'out\nerr' })
  expect(await check(['printf', '%s|', 'a b', '$HOME']).result).toMatchObject({
    exit: 0,
    output: 'a b|$HOME|',
  })
  expect(await check('kill -9 $$').result).toMatchObject({ exit: null, signal: 'SIGKILL' })
  expect(await check(['no-such-program']).result).toMatchObject({ exit: 127 })
  expect(await check('cat').result).toMatchObject({ exit: 0, output: '' })
})

test('the end of a long output is kept without control characters, the log has all of it', async () => {
  const { result, logPath } = check("seq 10000; printf '\\033[31mred\\033[0m\\tend\\r\\n'; false")
  const { output } = await result
  expect(output.length).toBeLessThanOrEqual(16 * 1024)
  expect(output).toMatch(/^\d{4}\n/)
  expect(output.endsWith('10000\nred    end')).toBe(true)
  expect(readFileSync(logPath, 'utf8')).toMatch(/^1\n2\n/)
})

test('a check that leaves a process running is over when it ends itself', async () => {
  const { result } = check('sleep 20 & echo $!; exit 1')
  const { exit, output } = await result
  expect(exit).toBe(1)
  process.kill(Number(output), 'SIGKILL')
})

test('a command does not start if its process cannot be noted', async () => {
  const { result, logPath } = check('echo started', {
    onStarted: () => {
      throw new Error('the disk is full')
    },
  })
  await expect(result).rejects.toThrow('the disk is full')
  expect(readFileSync(logPath, 'utf8')).toBe('')
})

test('an abort ends the command with everything that it started', async () => {
  const abort = new AbortController()
  let pid = 0
  const { result } = check('sleep 1000 & sleep 1000', {
    signal: abort.signal,
    onStarted: started => {
      pid = started.pid
      setTimeout(() => abort.abort(), 100)
    },
  })
  expect(await result).toMatchObject({ signal: 'SIGTERM' })
  expect(isAlive(pid)).toBe(false)
})
