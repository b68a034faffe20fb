import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { diff, diffJson, diffNames } from '../helpers/mission-diff.ts'
import { waitFor } from '../helpers/wait.ts'
import { type WorkBox, workBox } from '../helpers/work.ts'

describe('programs that a diff can run', () => {
  /** A program that leaves a mark and prints a word. */
  function program(box: WorkBox, name: string): { path: string; hasRun(): boolean } {
    const path = join(box.root, name)
    writeFileSync(path, `#!/bin/sh\ntouch '${path}.ran'\necho "shown by ${name}"\n[ -t 0 ] || cat\n`, {
      mode: 0o755,
    })
    return { path, hasRun: () => existsSync(`${path}.ran`) }
  }

  test('those that the mission names are never run', async () => {
    const box = await workBox({ 'file.txt': 'x\n' })
    const evil = program(box, 'evil')
    const settings = {
      'diff.external': evil.path,
      'diff.evil.command': evil.path,
      'diff.evil.textconv': evil.path,
      'filter.evil.clean': evil.path,
      'core.pager': evil.path,
      'pager.diff': evil.path,
      'core.fsmonitor': evil.path,
      'core.hooksPath': box.root,
    }
    for (const [key, value] of Object.entries(settings)) box.git('config', key, value)
    box.write({ '.gitattributes': '* diff=evil\n*.bin filter=evil\n', 'file.txt': 'x\ny\n', 'a.bin': 'z\n' })
    const terminal = box.terminal(['diff', box.id], { env: { PAGER: 'cat' }, rows: 60 })
    expect(await terminal.exited).toBe(0)
    expect(terminal.screen()).toContain('+y')
    expect(diff(box).stdout).toContain('+y')
    expect(diff(box, '--last').exitCode).toBe(1)
    expect(evil.hasRun()).toBe(false)
  })

  test("on a terminal the user's own pager and diff program show it; a pipe gets a plain patch", async () => {
    const box = await workBox()
    box.write({ 'README.md': 'hello\nworld\n' })
    const [pager, external] = [program(box, 'pager'), program(box, 'external')]
    box.bench.userConfig(
      `[core]\npager = ${pager.path}\n[diff]\nexternal = ${external.path}\nnoprefix = true\n[color]\nui = always\n`,
    )
    expect(diff(box).stdout).toMatch(/^diff --git a\/README\.md b\/README\.md\n/)
    expect([pager.hasRun(), external.hasRun()]).toEqual([false, false])
    const terminal = box.terminal(['diff', box.id])
    expect(await terminal.exited).toBe(0)
    expect(terminal.screen()).toContain('shown by pager')
    expect(terminal.screen()).toContain('shown by external')
    const byVariable = program(box, 'other')
    const other = box.terminal(['diff', box.id], {
      env: { GIT_EXTERNAL_DIFF: byVariable.path, GIT_PAGER: 'cat' },
    })
    expect(await other.exited).toBe(0)
    expect(other.screen()).toContain('shown by other')
  })
})

describe('in a pager', () => {
  async function paged(env: NodeJS.ProcessEnv = {}) {
    const box = await workBox()
    await box.endTurn({ big: Array.from({ length: 20_000 }, (_, row) => `row ${row}\n`).join('') })
    const terminal = box.terminal(['diff', box.id, '--last'], {
      env: { PAGER: 'less', LESS: 'R', ...env },
      rows: 20,
    })
    await terminal.waitForText('+row 5')
    return { box, terminal }
  }

  test('q ends it without an error', async () => {
    const { terminal } = await paged()
    terminal.type('q')
    expect(await terminal.exited).toBe(0)
    expect(terminal.raw()).toMatch(/: what has changed in turn 1\r\n/)
  })

  test('Ctrl-C is for the pager', async () => {
    const { terminal } = await paged()
    terminal.type('\u0003')
    await waitFor('the next row', () => {
      // The terminal throws away what was typed right after Ctrl-C.
      terminal.type('j')
      return terminal.screen().includes('+row 15')
    })
    terminal.type('q')
    expect(await terminal.exited).toBe(0)
  })
})

describe('a directory of the user', () => {
  async function inDirectory() {
    const box = await workBox()
    box.bench.repo('mine', { tracked: 'a\n', sub: 'x\n' })
    const { id } = await box.create('--dir', join(box.root, 'mine'))
    return { ...box, id: id as WorkBox['id'], mine: join(box.root, 'mine') }
  }

  test('is compared with its latest commit, and not touched', async () => {
    const box = await inDirectory()
    writeFileSync(join(box.mine, 'tracked'), 'a\nb\n')
    writeFileSync(join(box.mine, 'untracked'), 'c\n')
    writeFileSync(join(box.mine, '.git/info/exclude'), 'secret\n')
    writeFileSync(join(box.mine, 'secret'), 'd\n')
    const status = box.bench.git('mine', 'status', '--porcelain')
    const objects = box.bench.git('mine', 'count-objects')
    expect(diffNames(box)).toEqual(['tracked', 'untracked'])
    expect(diff(box).stdout).toContain('+b\n')
    expect(diffJson(box).base).toBe(box.bench.git('mine', 'rev-parse', 'HEAD'))
    expect(box.bench.git('mine', 'status', '--porcelain')).toBe(status)
    expect(box.bench.git('mine', 'count-objects')).toBe(objects)
    const left = readdirSync(join(box.agencHome, 'missions', box.id)).filter(name =>
      name.startsWith('compare'),
    )
    expect(left).toEqual([])
  })

  test('no program that its settings name is run', async () => {
    const box = await inDirectory()
    const settings = [
      'diff.external',
      'filter.evil.clean',
      'core.fsmonitor',
      'diff.evil.textconv',
      'core.pager',
    ]
    for (const key of settings) box.bench.git('mine', 'config', key, `touch ${box.root}/ran; false`)
    writeFileSync(join(box.mine, '.gitattributes'), '* filter=evil diff=evil\n')
    writeFileSync(join(box.mine, 'tracked'), 'a\nb\n')
    expect(diffNames(box)).toEqual(['.gitattributes', 'tracked'])
    expect(diff(box).stdout).toContain('+b\n')
    expect(existsSync(join(box.root, 'ran'))).toBe(false)
  })

  test('a worktree, and a repo without commits', async () => {
    const box = await inDirectory()
    box.bench.git('mine', 'worktree', 'add', '-q', '../tree')
    const tree = await box.create('--dir', join(box.root, 'tree'))
    writeFileSync(join(box.root, 'tree/new'), 'x\n')
    expect(box.agenc(['diff', tree.id, '--name-only']).stdout).toBe('new\n')
    mkdirSync(join(box.root, 'fresh'))
    box.bench.git('fresh', 'init', '-q')
    const fresh = await box.create('--dir', join(box.root, 'fresh'))
    writeFileSync(join(box.root, 'fresh/new'), 'x\n')
    expect(box.agenc(['diff', fresh.id, '--name-only']).stdout).toBe('new\n')
  })
})
