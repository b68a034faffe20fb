import { expect, test } from 'vitest'
import { parseDuration } from '../../src/io/duration.ts'

test.each([
  ['90s', 90_000],
  ['30m', 1_800_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1_500],
  ['250ms', 250],
  ['5', 5_000],
])('reads %s as %d ms', (text, milliseconds) => {
  expect(parseDuration(text, '--timeout')).toBe(milliseconds)
})

test.each(['', '0', '-5', 'soon', '5 m', '10x', 'm', '25d', '1e3', 'NaN'])('refuses %j', text => {
  expect(() => parseDuration(text, '--timeout')).toThrow('is not a duration')
})
