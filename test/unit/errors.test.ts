import { expect, test } from 'vitest'
import { AgencError, Cancelled, isAgencError, isCancelled, usageError } from '../../src/errors.ts'
import { readSources } from '../helpers/arrows.ts'
import { projectRoot } from '../helpers/cli.ts'

test('errors from another copy of the module are recognised by name', () => {
  class Copy extends Error {
    override name = 'AgencError'
  }
  expect(isAgencError(new Copy('x'))).toBe(true)
  expect(isAgencError(usageError('x'))).toBe(true)
  expect(isAgencError(new Error('x'))).toBe(false)
  expect(isAgencError({ name: 'AgencError' })).toBe(false)
  expect(isCancelled(new Cancelled())).toBe(true)
  expect(isCancelled(new AgencError('x'))).toBe(false)
})

test('no file uses instanceof for the two classes that cross between a hot file and its chunks', () => {
  const sources = readSources(projectRoot, 'src')
  const withCheck = sources.filter(({ text }) => /instanceof (AgencError|Cancelled)\b/.test(text))
  expect(sources.length).toBeGreaterThan(100)
  expect(withCheck.map(({ path }) => path)).toEqual([])
})
