import { expect, test } from 'vitest'
import { SignalListener } from '../../src/wrapper/signal-listener.ts'
import { endingSignals, exitCodeFor, onEndingSignal } from '../../src/wrapper/signal-policy.ts'
import { waitFor } from '../helpers/wait.ts'

test.each([
  ['before', 'give-up'],
  ['running', 'forward'],
  ['ending', 'none'],
  ['over', 'none'],
] as const)('%s: %s', (phase, action) => {
  expect(onEndingSignal(phase)).toBe(action)
})

test.each([
  [0, null, 0],
  [143, null, 143],
  [null, 'SIGKILL', 137],
  [null, 'SIGHUP', 129],
  [null, 'SIGSEGV', 139],
] as const)('code %s, signal %s → %i', (code, signal, exitCode) => {
  expect(exitCodeFor(code, signal)).toBe(exitCode)
})

test('the first signal counts, each is told to the latest listener, and none after the end', async () => {
  const signals = new SignalListener()
  const heard: string[] = []
  signals.listen(() => heard.push('nobody'))
  signals.listen(signal => heard.push(signal))
  process.kill(process.pid, 'SIGTERM')
  await waitFor('it', () => heard.length === 1)
  process.kill(process.pid, 'SIGHUP')
  await waitFor('it', () => heard.length === 2)
  expect(heard).toEqual(['SIGTERM', 'SIGHUP'])
  expect(signals.received).toBe('SIGTERM')
  const before = endingSignals.map(signal => process.listenerCount(signal))
  signals.close()
  expect(endingSignals.map(signal => process.listenerCount(signal))).toEqual(before.map(count => count - 1))
})
