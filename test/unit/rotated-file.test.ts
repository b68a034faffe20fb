import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { olderFile, RotatedFile } from '../../src/io/rotated-file.ts'
import { temporaryDirectory } from '../helpers/cli.ts'

test('keeps one older file, and neither grows beyond the bound', () => {
  const path = join(temporaryDirectory(), 'output.log')
  const file = new RotatedFile(path, 10)
  for (const text of ['aaaa\n', 'bbbb\n', 'cccc\n', 'dddd\n', 'eeee\n']) file.write(Buffer.from(text))
  file.close()
  expect(readFileSync(path, 'utf8')).toBe('eeee\n')
  expect(readFileSync(olderFile(path), 'utf8')).toBe('cccc\ndddd\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)

  const next = new RotatedFile(path, 10)
  next.write(Buffer.from('ffff\n'))
  next.write(Buffer.from('gggg\n'))
  expect(readFileSync(olderFile(path), 'utf8')).toBe('eeee\nffff\n')
})

test('a file that cannot be written is tried again with the next text', () => {
  const path = join(temporaryDirectory(), 'output.log')
  mkdirSync(path)
  const file = new RotatedFile(path, 10)
  file.write(Buffer.from('lost\n'))
  rmSync(path, { recursive: true })
  file.write(Buffer.from('kept\n'))
  expect(readFileSync(path, 'utf8')).toBe('kept\n')
})
