import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openStore } from '../../src/db/open-store.ts'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { type Sandbox, sandbox } from '../helpers/cli.ts'
import { expectUsageError, recordsBox, storeMissions } from '../helpers/records.ts'
import { waitFor } from '../helpers/wait.ts'

describe('mission ls', () => {
  const hostile = [
    'plain',
    '\u001b]0;title\u0007\u001b[2Jescapes',
    'two\nlines\ttab',
    '👩‍👩‍👧 日本語 emoji and wide text that goes on and on and on and on and on and on',
    'abc\u202edef right to left',
  ]

  test('cleans names wherever they are printed, and fits the terminal', async () => {
    const box = recordsBox()
    const ids = await storeMissions(box, hostile)
    for (const columns of [40, 80, 200]) {
      const terminal = box.terminal(['mission', 'ls'], { columns, rows: 20 })
      expect(await terminal.exited).toBe(0)
      const lines = await waitFor('the whole table', () => {
        const shown = terminal.screen().split('\n')
        return shown.length > hostile.length && shown
      })
      expect(lines).toHaveLength(hostile.length + 1)
      expect(lines.slice(1).map(line => line.slice(0, 8))).toEqual(ids.toReversed().map(id => id.slice(0, 8)))
    }
    const printed = [
      box.agenc(['mission', 'ls']).stdout,
      box.agenc(['mission', 'show', ids[1]!]).stdout,
      box.agenc(['mission', 'show', 'zzzz']).stderr,
      box.agenc(['repo', 'rm', 'app', '--yes']).stderr,
    ]
    for (const text of printed) {
      expect(text).toContain('escapes')
      expect(text.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u200e\u200f]/)
    }
  })

  test('lists the most recently active first', async () => {
    const box = recordsBox()
    const [first, second] = await storeMissions(box, ['one', 'two'])
    expect(box.missions().map(({ id }) => id)).toEqual([second, first])
    expect(await box.terminal(['mission', 'resume', first!]).exited).toBe(0)
    expect(box.missions().map(({ id }) => id)).toEqual([first, second])
  })

  test('prints nothing and creates nothing without missions', () => {
    const { agenc, agencJson, agencHome } = sandbox()
    expect(agenc(['mission', 'ls'])).toMatchObject({ exitCode: 0, stdout: '' })
    expect(agencJson(['mission', 'ls'])).toEqual([])
    expect(existsSync(agencHome)).toBe(false)
  })
})

test('an ambiguous short id is refused', async () => {
  const box = recordsBox()
  const [a] = await storeMissions(box, ['one', 'two'])
  const twin = `${a!.slice(0, 6)}00-0000-4000-8000-000000000000`
  const db = await openStore(join(box.agencHome, 'database.sqlite'))
  db.prepare('UPDATE missions SET id = ? WHERE id <> ?').run(twin, a)
  db.close()
  expectUsageError(box.agenc(['mission', 'show', a!.slice(0, 6)]), /2 missions\nMissions:\n/)
  expect(box.agencJson<MissionJson>(['mission', 'show', a!]).id).toBe(a)
})

/** A PATH that has the programs agenc needs, but not fzf. */
function pathWithoutFzf({ root }: Sandbox): string {
  const bin = join(root, 'bin')
  mkdirSync(bin)
  for (const name of ['git', 'sh', 'mkfifo', 'stty', 'cp', 'ps']) {
    const directory = process.env.PATH!.split(delimiter).find(path => existsSync(join(path, name)))
    if (directory) symlinkSync(join(directory, name), join(bin, name))
  }
  return bin
}

const hasFzf = process.env.PATH!.split(delimiter).some(path => existsSync(join(path, 'fzf')))

if (!hasFzf) console.log('The picker is not tested with fzf: fzf is not installed')

describe.each(hasFzf ? ['fzf', 'no fzf'] : ['no fzf'])(
  'without an argument a picker opens, with %s',
  tool => {
    const picker = () => {
      const box = recordsBox()
      const env = tool === 'fzf' ? {} : { PATH: pathWithoutFzf(box) }
      return { box, open: (...args: string[]) => box.terminal(args, { env, columns: 100 }) }
    }

    test('for a repo, or a blank mission', async () => {
      const { box, open } = picker()
      const terminal = open('mission', 'new')
      await terminal.waitForText(/local\/src\/app[\s\S]*\(blank\)/)
      terminal.type('blank')
      await waitFor('the list to narrow', () => !terminal.screen().includes('local/src/app'))
      terminal.type('\r')
      expect(await terminal.exited).toBe(0)
      expect(box.missions()).toMatchObject([{ repo: null }])
    })

    test.each(['\u0003', '\u001b'])(
      'and %j cancels it with exit code 130, no message and no mission',
      async key => {
        const { box, open } = picker()
        const terminal = open('mission', 'new')
        await terminal.waitForText('(blank)')
        terminal.type(key)
        expect(await terminal.exited).toBe(130)
        expect(terminal.raw()).not.toContain('agenc:')
        expect(box.missions('-a')).toEqual([])
      },
    )

    test('a long name cuts nothing but itself, and every row stays on one line', async () => {
      const { box, open } = picker()
      const [short, long] = await storeMissions(box, ['short', 'a very long name '.repeat(18)])
      const terminal = open('mission', 'archive')
      const rows = await waitFor('both rows', () => {
        const found = terminal
          .screen()
          .split('\n')
          .filter(line => /[0-9a-f]{8}/.test(line))
        return found.length === 2 && found
      })
      for (const row of rows) expect(row.trimEnd()).toMatch(/ {2}\d+d$/)
      for (const id of [short, long]) expect(rows.join()).toContain(id!.slice(0, 8))
      expect(rows.find(row => row.includes(long!.slice(0, 8)))).toContain('a very long name')
      terminal.type('\u0003')
      expect(await terminal.exited).toBe(130)
    })

    test('without colours if NO_COLOR is set', async () => {
      const { box } = picker()
      await storeMissions(box, ['one'])
      const env = tool === 'fzf' ? {} : { PATH: join(box.root, 'bin') }
      const colour = /\u001b\[[\d;]*\b(?:3\d|4\d|9\d)(?:;[\d;]*)?m/
      for (const isColoured of [false, true]) {
        const wish = isColoured ? { NO_COLOR: '', FORCE_COLOR: '1' } : { NO_COLOR: '1' }
        const terminal = box.terminal(['mission', 'archive'], { env: { ...env, ...wish } })
        await terminal.waitForText('one')
        terminal.type('\u0003')
        expect(await terminal.exited).toBe(130)
        expect(colour.test(terminal.raw())).toBe(isColoured)
      }
    })

    test('for a mission by its name, in which shell syntax has no effect', async () => {
      const { box, open } = picker()
      const [, wanted] = await storeMissions(box, ['other', 'wan\u001b[2Jted $(touch pwned) `x`'])
      const terminal = open('mission', 'archive')
      await terminal.waitForText('wanted $(touch pwned)')
      terminal.type('wanted')
      await waitFor('the list to narrow', () => !terminal.screen().includes('other'))
      terminal.type('\r')
      expect(await terminal.exited).toBe(0)
      expect(box.missions('-a').filter(({ status }) => status === 'archived')).toMatchObject([{ id: wanted }])
      expect(existsSync(join(box.root, 'pwned'))).toBe(false)
    })
  },
)

test('commands that only read do not change the store or the settings', async () => {
  const box = recordsBox()
  const [id] = await storeMissions(box, ['one'])
  const files = () =>
    Object.fromEntries(
      readdirSync(box.agencHome)
        .filter(name => name.startsWith('database') || name === 'config.json')
        // SQLite writes its shared-memory index anew each time the store is opened.
        .filter(name => !name.endsWith('-shm'))
        .map(name => [name, readFileSync(join(box.agencHome, name)).toString('base64')])
        .filter(([name, bytes]) => !(name!.endsWith('-wal') && bytes === '')),
    )
  const before = files()
  for (const args of [
    ['mission', 'ls', '-a'],
    ['mission', 'show', id!],
    ['repo', 'ls'],
    ['config', 'ls'],
    ['config', 'get', 'claude.model'],
  ]) {
    expect(box.agenc(args).exitCode).toBe(0)
  }
  expect(files()).toEqual(before)
})
