import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sourcesHash, sourcesHashFile } from '../../scripts/build/sources-hash.mjs'
import config from '../../vitest.config.ts'
import { projectRoot, temporaryDirectory } from '../helpers/cli.ts'
import { knownSkips, unknownSkips } from '../helpers/known-skips.ts'
import { buildProblem } from '../helpers/require-fresh-build.ts'

test('no test is retried', () => {
  expect(config.test?.retry ?? 0).toBe(0)
})

test('CI accepts a skip only for a listed reason', () => {
  const known = knownSkips.map(({ reason }) => ({ name: 'known', reason }))
  const unlisted = { name: 'unlisted', reason: 'not in the mood' }
  const silent = { name: 'silent', reason: undefined }
  expect(unknownSkips([...known, unlisted, silent])).toEqual([unlisted, silent])
})

describe('the check of the build', () => {
  function project(): string {
    const root = temporaryDirectory()
    for (const name of ['scripts', 'docs/for-agents.md', 'package.json', 'package-lock.json'])
      cpSync(join(projectRoot, name), join(root, name), { recursive: true })
    for (const name of ['src', 'stand-in', 'dist']) mkdirSync(join(root, name))
    writeFileSync(join(root, 'src', 'main.ts'), 'first')
    return root
  }

  test('a project without a build is refused', () => {
    expect(buildProblem(project())).toContain('no complete build')
  })

  test.each(['src/main.ts', 'src/new.ts', 'stand-in/new.ts', 'scripts/build.mjs', 'package-lock.json'])(
    'a build is stale once %s has changed, and fresh once it is as before',
    path => {
      const root = project()
      writeFileSync(join(root, 'src', 'new.ts'), '')
      writeFileSync(join(root, 'stand-in', 'new.ts'), '')
      writeFileSync(join(root, 'dist', sourcesHashFile), sourcesHash(root))
      expect(buildProblem(root)).toBe(null)
      const before = readFileSync(join(root, path))
      writeFileSync(join(root, path), 'changed')
      expect(buildProblem(root)).toContain('older than the sources')
      writeFileSync(join(root, path), before)
      expect(buildProblem(root)).toBe(null)
    },
  )
})
