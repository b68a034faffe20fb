import { expect, test } from 'vitest'
import { truncate } from '../../src/io/text.ts'

test('truncated text fits its columns, and no wide character is cut in half', () => {
  expect(truncate('mission', 5)).toBe('miss…')
  expect(truncate('日本語', 4)).toBe('日…')
})
