import { expect, test } from 'vitest'
import { endingSignals } from '../../src/system/signals.ts'
import { decideEnding, exitCodeOf, mustBeRead } from '../../src/wrapper/ending.ts'
import { onEndingSignal, SignalListener } from '../../src/wrapper/signal-policy.ts'
import { waitFor } from '../helpers/wait.ts'

test.each([
  ['before', 'give-up'],
  ['running', 'forward'],
  ['ending', 'none'],
  ['over', 'none'],
] as const)('an ending signal in the phase "%s" leads to "%s"', (phase, action) => {
  expect(onEndingSignal(phase)).toBe(action)
})

test.each([
  [0, null, 0],
  [143, null, 143],
  [null, 'SIGKILL', 137],
  [null, 'SIGHUP', 129],
  [null, 'SIGSEGV', 139],
] as const)('Claude’s exit code %s or signal %s becomes the exit code %i', (code, signal, exitCode) => {
  expect(exitCodeOf({ code, signal })).toBe(exitCode)
})

test('the first signal counts, the latest listener hears each one, and close() removes the handlers', async () => {
  const signals = new SignalListener()
  const heard: string[] = []
  signals.listen(() => heard.push('the replaced listener'))
  signals.listen(signal => heard.push(signal))
  process.kill(process.pid, 'SIGTERM')
  await waitFor('SIGTERM to be heard', () => heard.length === 1)
  process.kill(process.pid, 'SIGHUP')
  await waitFor('SIGHUP to be heard', () => heard.length === 2)
  expect(heard).toEqual(['SIGTERM', 'SIGHUP'])
  expect(signals.received).toBe('SIGTERM')
  const before = endingSignals.map(signal => process.listenerCount(signal))
  signals.close()
  expect(endingSignals.map(signal => process.listenerCount(signal))).toEqual(before.map(count => count - 1))
})

test.each([
  ['Claude exited', { code: 0 }, 'left', false],
  ['Claude exited with an error, long after its start', { code: 1, ranMs: 5_000 }, 'left', false],
  ['Claude failed right after its start', { code: 1 }, 'failed', true],
  ['Claude was killed by another process', { signal: 'SIGKILL', ranMs: 5_000 }, 'lost', true],
  ['a command stopped the mission', { code: 143, received: 'SIGTERM' }, 'stopped', false],
  ['Claude had to be killed after a stop', { signal: 'SIGKILL', received: 'SIGTERM' }, 'stopped', false],
  ['the user closed the window', { code: 129, received: 'SIGHUP' }, 'closed', false],
  ['tmux ended', { code: 129, received: 'SIGHUP', isTaken: true }, 'lost', false],
] as const)('the ending is decided when %s', async (_title, facts, why, isRead) => {
  const given = { code: null, signal: null, received: null, ranMs: 100, isTaken: false, ...facts }
  const ending = await decideEnding({ ...given, wasTakenAway: async () => given.isTaken })
  expect(ending.why).toBe(why)
  expect(mustBeRead(ending)).toBe(isRead)
})
