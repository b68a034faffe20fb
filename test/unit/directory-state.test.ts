import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { directoryState } from '../../src/loop/directory-state.ts'
import { temporaryDirectory } from '../helpers/cli.ts'
import { gitBench } from '../helpers/git.ts'

test('the state of a directory changes with its files, and only with them', () => {
  const root = temporaryDirectory()
  const { tools } = gitBench(root)
  const directory = join(root, 'work')
  const file = join(directory, 'sub', 'file')
  mkdirSync(join(directory, 'sub'), { recursive: true })
  const state = () => directoryState(tools, directory)
  const empty = state()
  writeFileSync(file, 'one')
  const one = state()
  expect(one).not.toBe(empty)
  utimesSync(file, 1, 1)
  expect(state()).toBe(one)
  writeFileSync(file, 'two')
  const two = state()
  expect(two).not.toBe(one)
  chmodSync(file, 0o755)
  expect(state()).not.toBe(two)
  chmodSync(file, 0o644)
  symlinkSync('nowhere', join(directory, 'link'))
  expect(state()).not.toBe(two)
  rmSync(join(directory, 'link'))
  expect(state()).toBe(two)
})

test('files that git ignores, and commits, do not change the state', () => {
  const bench = gitBench()
  const directory = bench.repo('work', { '.gitignore': 'built\n', code: 'x\n' })
  const state = () => directoryState(bench.tools, directory)
  const before = state()
  writeFileSync(join(directory, 'built'), 'y')
  expect(state()).toBe(before)
  writeFileSync(join(directory, 'new'), 'z')
  const dirty = state()
  expect(dirty).not.toBe(before)
  bench.git('work', 'add', '--all')
  bench.git('work', 'commit', '--quiet', '--message', 'new')
  expect(state()).toBe(dirty)
})
