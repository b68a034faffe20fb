import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type DiffJson, diff, diffJson, diffNames } from '../helpers/mission-diff.ts'
import { expectUsageError } from '../helpers/records.ts'
import { workBox } from '../helpers/work.ts'

describe('what is shown', () => {
  test('everything since the base: committed, changed, new, and not what git ignores', async () => {
    const box = await workBox()
    box.write({ committed: 'a\n' })
    box.git('add', 'committed')
    box.git('commit', '-qm', 'one')
    box.write({ 'README.md': 'hello\nworld\n', 'new file': 'x\n', ignored: 'y\n' })
    box.git('add', '--intent-to-add', 'new file')
    const index = readFileSync(join(box.directory, '.git/index'))
    expect(diffNames(box)).toEqual(['README.md', 'committed', 'new file'])
    expect(diffNames(box, '--uncommitted')).toEqual(['README.md', 'new file'])
    expect(diff(box).stdout).toContain('@@ -1 +1,2 @@\n hello\n+world\n')
    expect(diff(box, '--stat').stdout).toContain(' 3 files changed, 3 insertions(+)\n')
    expect(diff(box, '--stat', '--patch').stdout).toMatch(/3 files changed[\s\S]*\+world/)
    expect(readFileSync(join(box.directory, '.git/index'))).toEqual(index)
  })

  test('JSON has every file with its status, and no numbers for a binary one', async () => {
    const text = Array.from({ length: 30 }, (_, row) => `row ${row}\n`).join('')
    const box = await workBox({ 'old name': text, gone: 'x\n', turned: 'x\n', 'a b': 'x\r\ny\r\n' })
    box.git('mv', 'old name', 'new ü\nname')
    rmSync(join(box.directory, 'gone'))
    rmSync(join(box.directory, 'turned'))
    symlinkSync('a b', join(box.directory, 'turned'))
    box.write({ 'a b': 'x\r\nz\r\n', binary: 'a\0b' })
    const { mission, base, files } = diffJson(box)
    expect({ mission, base }).toEqual({ mission: box.id, base: box.git('rev-parse', 'HEAD') })
    const plain = { old_path: null, binary: false }
    expect(files).toEqual([
      { ...plain, path: 'a b', status: 'modified', insertions: 1, deletions: 1 },
      { ...plain, path: 'binary', status: 'added', insertions: null, deletions: null, binary: true },
      { ...plain, path: 'gone', status: 'deleted', insertions: 0, deletions: 1 },
      { ...plain, path: 'new ü\nname', old_path: 'old name', status: 'renamed', insertions: 0, deletions: 0 },
      { ...plain, path: 'turned', status: 'type_changed', insertions: 1, deletions: 1 },
    ])
  })

  test('one turn, or the latest', async () => {
    const box = await workBox()
    await box.endTurn({ a: '1\n' })
    await box.endTurn({ b: '2\n', a: '1\n2\n' })
    box.write({ later: 'x\n' })
    expect(diffNames(box, '--turn', '1')).toEqual(['a'])
    expect(diffNames(box, '--last')).toEqual(['a', 'b'])
    expect(diffJson(box, '--last').files[0]).toMatchObject({ path: 'a', status: 'modified', insertions: 1 })
    expect(diffNames(box)).toEqual(['a', 'b', 'later'])
    const unknown = diff(box, '--turn', '7')
    expect(unknown.exitCode).toBe(1)
    expect(unknown.stderr).toMatch(/turn 7 .* was not recorded\nRecorded turns: 1 to 2\.\n/)
    await box.endTurn()
    await box.endTurn()
    expect(diff(box, '--last')).toEqual({ exitCode: 0, stdout: '', stderr: 'Turn 4 has changed nothing.\n' })
  })

  test('nothing, in words, and without an error', async () => {
    const box = await workBox()
    const nothing = { exitCode: 0, stdout: '' }
    expect(diff(box)).toMatchObject({
      ...nothing,
      stderr: expect.stringMatching(/^Nothing has changed since (main@)?[0-9a-f]{7}\.\n$/),
    })
    expect(diff(box, '--stat')).toMatchObject(nothing)
    expect(diff(box, '--uncommitted')).toMatchObject({ ...nothing, stderr: 'Everything is committed.\n' })
    expect(diffJson(box).files).toEqual([])
    const unrecorded = diff(box, '--last')
    expect(unrecorded.exitCode).toBe(1)
    expect(unrecorded.stderr).toMatch(/no turn of .* has been recorded yet\nIts files are recorded when/)
  })

  test('the work of others that was merged into the mission does not count', async () => {
    const box = await workBox()
    box.write({ own: 'x\n' })
    box.git('add', '.')
    box.git('commit', '-qm', 'own')
    box.bench.commit('src/app', { theirs: 'y\n' })
    box.agenc(['repo', 'update'])
    box.git('pull', '-q', '--no-rebase', '--no-edit', join(box.root, 'src/app'), 'main')
    expect(diffNames(box)).toEqual(['own'])
  })

  test('a mission whose directory or repo is gone: its last recorded state', async () => {
    const box = await workBox()
    await box.endTurn({ a: '1\n' })
    rmSync(box.directory, { recursive: true })
    expect(diffNames(box)).toEqual(['a'])
    expect(diffNames(box, '--uncommitted')).toEqual(['a'])
    expect(diffNames(box, '--last')).toEqual(['a'])
  })

  test('a submodule that moved on, a detached HEAD, and a mission in the middle of a merge', async () => {
    const box = await workBox({ file: 'base\n' })
    box.git('checkout', '-q', '--detach')
    box.write({ file: 'ours\n' })
    box.git('commit', '-qam', 'ours')
    box.git('checkout', '-q', '-b', 'other', 'HEAD^')
    box.write({ file: 'theirs\n' })
    box.git('commit', '-qam', 'theirs')
    expect(() => box.git('merge', '-q', 'HEAD@{2}')).toThrow()
    expect(diff(box).stdout).toContain('+<<<<<<< HEAD\n')
    const commit = box.git('rev-parse', 'HEAD')
    mkdirSync(join(box.directory, 'sub'))
    box.git('update-index', '--add', '--cacheinfo', `160000,${commit},sub`)
    expect(diffNames(box)).toContain('sub')
    expect(diff(box).stdout).toContain(`+Subproject commit ${commit}\n`)
  })

  test('20,000 changed files, and a huge one', async () => {
    const box = await workBox()
    for (let row = 0; row < 20_000; row++) writeFileSync(join(box.directory, `file-${row}`), 'x\n')
    writeFileSync(join(box.directory, 'huge'), 'a long line of text, again and again\n'.repeat(400_000))
    const { stdout } = await box.agencAsync(['diff', box.id, '--json'])
    const { files } = JSON.parse(stdout) as DiffJson
    expect(files).toHaveLength(20_001)
    expect(files.at(-1)).toMatchObject({ path: 'huge', insertions: 400_000 })
  })
})

test.each([
  [['--last', '--turn', '1'], '--last and --turn exclude each other'],
  [['--uncommitted', '--last'], '--uncommitted and turns exclude each other'],
  [['--turn', '0'], '--turn needs the number of a turn, not "0"'],
  [['--turn', 'x'], '--turn needs the number of a turn, not "x"'],
  [['--stat', '--json'], '--stat, --name-only and --json exclude each other'],
  [['--color', 'red'], '--color cannot be "red"'],
])('%j is refused', async (args, message) => {
  const { sandbox } = await import('../helpers/cli.ts')
  expectUsageError(sandbox().agenc(['mission', 'diff', 'any', ...args]), message)
})

test('a mission without a repo says that there is nothing to compare with', async () => {
  const box = await workBox()
  const { id } = await box.create('--blank')
  const done = box.agenc(['mission', 'diff', id])
  expect(done.exitCode).toBe(1)
  expect(done.stderr).toContain('has no repo\n')
})

test('a mission is picked from a list, and `.` is the mission of this shell', async () => {
  const box = await workBox()
  box.write({ own: 'x\n' })
  const terminal = box.terminal(['diff', '--stat'], { env: { PAGER: 'cat' } })
  await terminal.waitForText('Show the changes of a mission')
  terminal.type('\r')
  expect(await terminal.exited).toBe(0)
  expect(terminal.screen()).toContain('1 file changed')
  const here = box.agenc(['diff', '.', '--name-only'], { env: { AGENC_HERE: box.id } })
  expect(here.stdout).toBe('own\n')
})

test('the work of a deleted mission can still be seen, by its id', async () => {
  const box = await workBox()
  await box.endTurn({ a: '1\n' })
  expect(box.agenc(['mission', 'rm', box.id, '--yes', '--force'])).toMatchObject({ exitCode: 0 })
  expect(diffNames(box)).toEqual(['a'])
})

test('a base that was force-pushed away, or whose branch is gone, is still the base', async () => {
  const box = await workBox()
  box.write({ own: 'x\n' })
  box.git('add', '.')
  box.git('commit', '-qm', 'own')
  box.bench.git('src/app', 'checkout', '-q', '--orphan', 'other')
  box.bench.commit('src/app', { unrelated: 'y\n' })
  box.bench.git('src/app', 'branch', '-M', 'main')
  expect(box.agenc(['repo', 'update']).exitCode).toBe(0)
  expect(diffNames(box)).toEqual(['own'])
})
