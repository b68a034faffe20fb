import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { agencScript } from '../helpers/cli.ts'
import { expectUsageError, type RecordsBox, recordsBox } from '../helpers/records.ts'
import { sessionBox } from '../helpers/session.ts'
import { openTerminal } from '../helpers/terminal.ts'

function at(box: RecordsBox, directory: string, ...args: string[]) {
  return openTerminal(process.execPath, [agencScript, ...args], {
    env: box.env,
    cwd: join(box.root, directory),
    columns: 120,
  })
}

describe('mission new takes the path of a repo in the library', () => {
  test.each([
    ['the current directory', 'src/app', '.'],
    ['a relative path', '.', './src/app'],
    ['a path with a slash at its end', '.', './src/app/'],
    ['a directory in the repo', 'src/app/inner', '.'],
    ['a link to the repo', '.', './link'],
    ['its .git', '.', './src/app/.git'],
  ])('as %s', async (_how, directory, path) => {
    const box = recordsBox()
    mkdirSync(join(box.root, 'src/app/inner'))
    symlinkSync('src/app', join(box.root, 'link'))
    const started = at(box, directory, 'new', path)
    expect(await started.exited, started.screen()).toBe(0)
    expect(box.missions()).toMatchObject([{ repo: 'local/src/app' }])
  })

  test('and the directory of a mission, for the repo of that mission', async () => {
    const box = recordsBox()
    const first = await box.create('app')
    const started = openTerminal(process.execPath, [agencScript, 'new', '.'], {
      env: box.env,
      cwd: first.dir,
    })
    expect(await started.exited).toBe(0)
    expect(box.missions().map(({ repo }) => repo)).toEqual(['local/src/app', 'local/src/app'])
    const blank = await box.create('--blank')
    const refused = box.agenc(['new', blank.dir], { env: {} })
    expect(refused.exitCode).toBe(64)
    expect(box.missions()).toHaveLength(3)
  })
})

describe('a repo that is not in the library', () => {
  test('is offered on a terminal, and added if the user says so', async () => {
    const box = recordsBox()
    box.bench.repo('src/shop', { 'README.md': 'shop\n' })
    const refused = at(box, 'src/shop', 'new', '.')
    await refused.waitForText('local/src/shop is not in the library. Add it?')
    refused.type('n\r')
    expect(await refused.exited).toBe(130)
    expect(box.missions('-a')).toEqual([])
    const accepted = at(box, 'src/shop', 'new', '.')
    await accepted.waitForText('Add it?')
    accepted.type('y\r')
    await accepted.waitForText('Do you trust local/src/shop?')
    accepted.type('n\r')
    expect(await accepted.exited).toBe(0)
    expect(box.missions()).toMatchObject([{ repo: 'local/src/shop' }])
    expect(box.agenc(['repo', 'ls']).stdout).toContain('local/src/shop')
  })

  test('is named together with the command that adds it, where nobody can be asked', () => {
    const box = recordsBox()
    box.bench.repo('src/shop', { 'README.md': 'shop\n' })
    const message = /src\/shop is not in the library\nAdd it with 'agenc repo add \.'\.\n/
    const cwd = join(box.root, 'src/shop')
    expectUsageError(box.agenc(['repo', 'update', '.'], { cwd }), message)
  })

  test('is named in the session, too, and no mission is made', async () => {
    const box = sessionBox()
    const { id } = await box.start()
    const cwd = join(box.root, 'sources', 'shop')
    box.addRepo('shop')
    box.agenc(['repo', 'rm', 'shop', '--yes'])
    const refused = box.agenc(['new', '.'], { cwd, env: box.inside(id) })
    expectUsageError(refused, /sources\/shop is not in the library\nAdd it with 'agenc repo add \.'\.\n/)
    expect(box.missions()).toHaveLength(1)
    box.agenc(['repo', 'add', cwd, '--trust'])
    const made = box.agenc(['new', '.', '--no-focus'], { cwd, env: box.inside(id) })
    expect(made.exitCode, made.stderr).toBe(0)
    expect(box.mission(made.stdout.trim()).repo).toBe('local/sources/shop')
  })

  test('of the same name as another one is not taken for it', async () => {
    const box = recordsBox()
    box.bench.repo('other/src/app', { 'README.md': 'another\n' })
    const started = at(box, 'other/src/app', 'new', '.')
    await started.waitForText('local/src/app is not in the library. Add it?')
    started.type('\u0003')
    expect(await started.exited).toBe(130)
  })
})

test('a path that is no repo, or does not exist, is refused', async () => {
  const box = recordsBox()
  mkdirSync(join(box.root, 'plain'))
  for (const [path, message] of [
    ['./plain', /is not a git repo/],
    ['./src/app/nosuch', /does not exist/],
  ] as const) {
    const refused = box.terminal(['new', path])
    expect(await refused.exited).toBe(64)
    expect(refused.screen()).toMatch(message)
  }
  expect(box.missions()).toEqual([])
})

test('commands of the library take a path, but never the repo around it', () => {
  const box = recordsBox()
  mkdirSync(join(box.root, 'src/app/inner'))
  expect(box.agencJson<MissionJson>(['repo', 'trust', './src/app'])).toMatchObject({ id: 'local/src/app' })
  expect(box.agenc(['repo', 'rm', './src/app/inner', '--yes']).exitCode).toBe(64)
  expect(box.agenc(['repo', 'rm', './src/app', '--yes']).exitCode).toBe(0)
})
