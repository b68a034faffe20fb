import { expect, test } from 'vitest'
import { knownHookEvents } from '../../src/claude/known-hook-events.ts'
import { isAtLeast } from '../../src/system/program-version.ts'
import { coerceTmuxVersion, isNewEnough } from '../../src/tmux/tmux-version.ts'

test.each([
  ['20.17.0', '20.17', true],
  ['20.9.0', '20.17', false],
  ['100.0.0', '20.17', true],
  ['2.1.325', '2.1.78', true],
  ['2.1.9', '2.1.10', false],
  ['2.1.10', '2.1.10', true],
  ['21.0.0-nightly2026', '21.0.0', true],
  ['', '1.0.0', false],
  ['unknown', '1.0.0', false],
])('%s is at least %s: %s', (version, oldest, expected) => {
  expect(isAtLeast(version, oldest)).toBe(expected)
})

test.each([
  ['tmux 3.2', '3.2.0', true],
  ['tmux 3.3a', '3.3.1', true],
  ['tmux 3.5-rc2', '3.5.0', true],
  ['tmux next-3.6', '3.6.0', true],
  ['tmux 3.10', '3.10.0', true],
  ['tmux 3.1c', '3.1.3', false],
  ['tmux 2.9a', '2.9.1', false],
  ['tmux master', null, true],
  ['tmux openbsd-7.5', null, true],
])('%s is read as %s and is new enough: %s', (printed, coerced, expected) => {
  expect(coerceTmuxVersion(printed)).toBe(coerced)
  expect(isNewEnough(printed)).toBe(expected)
})

test('a Claude is asked only for the events that its version knows', () => {
  expect(knownHookEvents('2.1.77')).toContain('PostToolUseFailure')
  expect(knownHookEvents('2.1.77')).not.toContain('StopFailure')
  expect(knownHookEvents('2.1.100')).toContain('StopFailure')
  expect(knownHookEvents(null)).not.toContain('PermissionRequest')
})
