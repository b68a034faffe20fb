import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { needOrdinaryUser } from '../helpers/needs.ts'
import { expectUsageError, recordsBox } from '../helpers/records.ts'
import { waitFor } from '../helpers/wait.ts'
import { type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

function directory(box: { root: string }, name = 'place with spaces é'): string {
  const path = join(box.root, name)
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'own'), 'of the user\n')
  return path
}

describe('mission new --dir', () => {
  test('gives the directory itself to the mission: its real path, without a repo', async () => {
    const box = recordsBox()
    const path = directory(box)
    symlinkSync(path, join(box.root, 'link'))
    const mission = await box.create('--dir', 'link')
    expect(mission).toMatchObject({ dir: path, repo: null, display: expect.stringContaining('/place with') })
    expect(existsSync(join(box.agencHome, 'missions', mission.id, 'agent'))).toBe(false)
    expect(box.agenc(['mission', 'dir', mission.id]).stdout).toBe(`${path}\n`)
    expect(box.agenc(['mission', 'show', mission.id]).stdout).toMatch(new RegExp(`^repo +${path}$`, 'm'))
    expect(box.agenc(['mission', 'ls']).stdout).toContain('place with spaces é')
    expect(box.agenc(['mission', 'ls']).stdout).not.toContain('(blank)')
  })

  test("knows a repo that was added from this path, and leaves the repo's setup and submodules alone", async () => {
    const box = recordsBox()
    box.agenc(['config', 'set', 'repos.local/src/app.setup', 'touch ran'])
    box.agenc(['repo', 'trust', 'local/src/app'])
    const mission = await box.create('--dir', './src/app')
    expect(mission).toMatchObject({ dir: join(box.root, 'src', 'app'), repo: 'local/src/app' })
    expect(existsSync(join(box.root, 'src', 'app', 'ran'))).toBe(false)
    mkdirSync(join(box.root, 'src', 'app', 'inner'))
    expect((await box.create('--dir', 'src/app/inner')).repo).toBeNull()
  })

  test('its work is already there: no command brings it out or puts older files back', async () => {
    const box = recordsBox()
    for (const path of [directory(box), join(box.root, 'src', 'app')]) {
      const { id } = await box.create('--dir', path)
      writeFileSync(join(path, 'own'), 'changed\n')
      for (const words of [['pull'], ['push'], ['pr'], ['sync'], ['undo'], ['undo', '--turn', '0']]) {
        const refused = box.agenc(['mission', ...words, id])
        expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
        expect(refused.stderr).toContain('works in your own directory')
      }
      for (const part of ['--last', '--recorded'])
        expect(box.agenc(['mission', 'diff', id, part]).stderr).toContain('is recorded\nOnly work in a copy')
      expect(readFileSync(join(path, 'own'), 'utf8')).toBe('changed\n')
    }
    const { id } = await box.create('--blank')
    expect(box.agenc(['mission', 'pull', id]).stderr).toContain('has no repo')
  })

  test('a ~ that the shell left alone is the home directory', async () => {
    const box = recordsBox()
    mkdirSync(join(box.home, 'work'))
    expect((await box.create('--dir=~/work')).dir).toBe(join(box.home, 'work'))
  })

  test('refuses other sources, a branch to start on, and --force alone', () => {
    const box = recordsBox()
    for (const other of [['local/src/app'], ['--blank'], ['--clone', 'x']])
      expectUsageError(box.agenc(['mission', 'new', '--dir', '.', ...other]), /exclude each other/)
    for (const start of [['--base', 'main'], ['--branch', 'x'], ['--pr', '1'], ['--offline']])
      expectUsageError(box.agenc(['mission', 'new', '--dir', 'src', ...start]), /needs a repo/)
    expectUsageError(box.agenc(['mission', 'new', '--blank', '--force']), /--force .* only with --dir/)
    expect(box.missions()).toEqual([])
  })

  test('refuses a directory that cannot be read', context => {
    needOrdinaryUser(context)
    const box = recordsBox()
    const path = directory(box)
    chmodSync(path, 0)
    const refused = box.agenc(['mission', 'new', '--dir', path, '--detach'])
    chmodSync(path, 0o700)
    expectUsageError(refused, /permission denied/)
  })

  test('refuses what is no usable directory, and leaves nothing behind', () => {
    const box = recordsBox()
    const refuse = (path: string, message: RegExp) =>
      expectUsageError(box.agenc(['mission', 'new', '--dir', path, '--detach']), message)
    refuse('', /--dir needs a path/)
    refuse('nowhere', /nowhere does not exist/)
    refuse('claude', /claude is not a directory/)
    refuse('claude/below', /is not a directory/)
    refuse('/', /cannot be the directory of a mission/)
    refuse(box.agencHome, /inside agenc's own directory/)
    refuse(join(box.agencHome, 'repos'), /inside agenc's own directory/)
    expect(existsSync(join(box.agencHome, 'missions'))).toBe(false)
  })

  test('takes a home directory, or one around agenc itself, only with --force', async () => {
    const box = recordsBox()
    for (const [path, message] of [
      [box.home, 'is your home directory'],
      [box.root, "contains agenc's own directory"],
    ] as const) {
      const refused = box.agenc(['mission', 'new', '--dir', path, '--detach'])
      expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(message) })
      expect(refused.stderr).toContain('--force')
      expect((await box.create('--dir', path, '--force')).dir).toBe(path)
    }
  })

  test('names the other mission of the same directory, unless that is archived or --force is given', async () => {
    const box = recordsBox()
    const path = directory(box)
    const first = await box.create('--dir', path, '--name', 'first')
    const refused = box.agenc(['mission', 'new', '--dir', path, '--detach'])
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
    expect(refused.stderr).toContain(`${first.short_id} first already works in ${path}`)
    expect(box.missions()).toHaveLength(1)
    const second = await box.create('--dir', path, '--force')
    for (const { id } of [first, second]) box.agenc(['mission', 'archive', id])
    expect((await box.create('--dir', path)).dir).toBe(path)
  })
})

describe('a mission in a directory of the user', () => {
  test('is deleted without its directory, whatever work is in there', async () => {
    const box = recordsBox()
    const app = join(box.root, 'src', 'app')
    writeFileSync(join(app, 'uncommitted'), 'x')
    const { id, short_id } = await box.create('--dir', app)
    const terminal = box.terminal(['mission', 'rm', id])
    await terminal.waitForText(`Delete ${short_id}`)
    expect(terminal.screen()).toContain(`The directory ${app} stays.`)
    terminal.type('y\r')
    expect(await terminal.exited).toBe(0)
    expect(box.missions('-a')).toEqual([])
    expect(readFileSync(join(app, 'uncommitted'), 'utf8')).toBe('x')
    expect(existsSync(join(app, '.git'))).toBe(true)
  })

  test("keeps Claude's own notes about the directory", async () => {
    const box = recordsBox()
    const path = directory(box)
    const notes = { projects: { [path]: { hasTrustDialogAccepted: true, history: ['x'] } } }
    writeFileSync(join(box.home, '.claude.json'), JSON.stringify(notes))
    const { id } = await box.create('--dir', path)
    expect(box.agenc(['mission', 'rm', id, '--yes']).exitCode).toBe(0)
    expect(JSON.parse(readFileSync(join(box.home, '.claude.json'), 'utf8'))).toEqual(notes)
  })

  test('says that the directory is gone when it is resumed', async () => {
    const box = recordsBox()
    const path = directory(box, 'soon-gone')
    const { id, short_id } = await box.create('--dir', path)
    execFileSync('rm', ['-r', path])
    const terminal = box.terminal(['mission', 'resume', id])
    await terminal.waitForText(`the directory of this mission is gone: ${path}`)
    await terminal.waitForText('q: close')
    terminal.type('q')
    expect(await terminal.exited).not.toBe(0)
    expect(box.agenc(['doctor']).stdout).toContain(`the directory of mission ${short_id} is gone`)
    box.agenc(['mission', 'archive', id])
    expect(box.agenc(['doctor']).stdout).not.toContain('is gone')
  })

  test('is found again after the store was lost', async () => {
    const box = recordsBox()
    const path = directory(box)
    const { id } = await box.create('--dir', path)
    execFileSync('rm', [
      '-f',
      ...['', '-wal', '-shm'].map(end => join(box.agencHome, `database.sqlite${end}`)),
    ])
    expect(box.agenc(['doctor', '--fix']).stderr).toContain('rebuilt the store')
    expect(box.agencJson<{ dir: string }>(['mission', 'show', id]).dir).toBe(path)
  })

  test("is its rules' {dir}, and the place of its editor tasks", async () => {
    const box = recordsBox()
    const path = directory(box)
    const { id } = await box.create('--dir', path)
    const rules = [{ tool: 'Write', match: '{dir}/**', decision: 'allow' }]
    const config = JSON.parse(readFileSync(join(box.agencHome, 'config.json'), 'utf8'))
    const approvals = { mode: 'rules', rules }
    writeFileSync(join(box.agencHome, 'config.json'), JSON.stringify({ ...config, approvals }))
    const tested = box.agencJson<{ decision: string }>([
      'approvals',
      'test',
      '--mission',
      id,
      '--tool',
      'Write',
      join(path, 'x'),
    ])
    expect(tested.decision).toBe('allow')
    mkdirSync(join(path, 'inner'))
    expect(box.agenc(['editor', 'tasks', join(path, 'inner')]).exitCode).toBe(0)
    expect(readFileSync(join(path, '.zed', 'tasks.json'), 'utf8')).toContain(id)
  })
})

async function started(box: WrapperBox, args: string[], state: string): Promise<string> {
  const known = box.records().length
  box.run(['mission', ...args])
  const { id } = await waitFor('the mission', () => box.records()[known])
  await box.until(id, state)
  return id
}

describe('Claude in a directory of the user', () => {
  test('asks for trust as if it was started by hand, and a copy of the directory waits for the answer', async () => {
    const box = wrapperBox()
    const path = directory(box)
    const id = await started(box, ['new', '--dir', path], 'waiting:trust')
    const early = box.agenc(['mission', 'new', '--clone', id, '--detach'])
    expect(early).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('not trusted yet') })
    expect(box.records()).toHaveLength(1)
  })

  test('works there, and its copy is a working copy of its own', async () => {
    const box = wrapperBox()
    const path = directory(box)
    const trusted = { projects: { [path]: { hasTrustDialogAccepted: true } } }
    writeFileSync(join(box.home, '.claude.json'), JSON.stringify(trusted))
    const prompt = ['--permission-mode', 'acceptEdits', '--prompt', 'Go. [[write made|by Claude]]']
    const id = await started(box, ['new', '--dir', path, ...prompt], 'idle')
    await waitFor('the turn', () => readFileSync(join(path, 'made'), 'utf8') === 'by Claude')
    await box.until(id, 'idle')
    const copy = await started(box, ['fork', id], 'idle')
    expect(box.record(copy)).toMatchObject({ dir: null, parent_id: id })
    const copied = join(box.agencHome, 'missions', copy, 'agent')
    expect(readFileSync(join(copied, 'own'), 'utf8')).toBe('of the user\n')
    expect(box.agenc(['mission', 'stop', copy]).exitCode).toBe(0)
    expect(box.agenc(['mission', 'rm', copy, '--yes', '--force']).exitCode).toBe(0)
    expect(existsSync(join(path, 'own'))).toBe(true)
  })

  test('works in a git worktree, which is not copied: a commit in the copy would change the original', async () => {
    const box = recordsBox()
    box.bench.git('src/app', 'worktree', 'add', '--quiet', '../tree')
    const { id, dir } = await box.create('--dir', './src/tree')
    expect(dir).toBe(join(box.root, 'src', 'tree'))
    const refused = box.agenc(['mission', 'fork', id, '--detach'])
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('cannot be copied') })
    expect(box.missions()).toHaveLength(1)
  })
})
