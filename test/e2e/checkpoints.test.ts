import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import type { Terminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'
import { say, type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

interface RepoMission {
  id: string
  terminal: Terminal
  directory: string
  library: string
}

async function repoMission(box: WrapperBox, env: NodeJS.ProcessEnv = {}): Promise<RepoMission> {
  const source = join(box.root, 'sources', 'app')
  mkdirSync(source, { recursive: true })
  writeFileSync(join(source, 'README.md'), 'app\n')
  for (const line of ['init -q -b main', 'add .', 'commit -q -m first'])
    execFileSync('git', line.split(' '), { cwd: source, env: box.env, stdio: 'ignore' })
  const repo = box.agenc(['repo', 'add', source, '--trust']).stdout.trim()
  const terminal = box.run(['mission', 'new', repo, '--permission-mode', 'acceptEdits'], { env })
  const { id } = await waitFor('the mission', () => box.records()[0]).catch(error => {
    throw new Error(`${error.message}\n${terminal.screen()}`)
  })
  await box.ready(id)
  const directory = join(box.agencHome, 'missions', id, 'agent')
  return { id, terminal, directory, library: join(box.agencHome, 'repos', repo) }
}

const checkpoints = (box: WrapperBox, id: string) =>
  box
    .history(id)
    .filter(({ kind }) => kind === 'checkpoint')
    .map(({ data }) => data.turn)

const untilCheckpoint = (box: WrapperBox, id: string, turn: number) =>
  waitFor(`checkpoint ${turn}`, () => checkpoints(box, id).at(-1) === turn)

const show = (gitDir: string, ...args: string[]) =>
  execFileSync('git', ['--git-dir', gitDir, ...args], { encoding: 'utf8' }).trim()

/** A git that waits before it runs this command, until a file exists. */
function slowGit(box: WrapperBox, command: string): { env: NodeJS.ProcessEnv; started: string; go: string } {
  const bin = join(box.root, 'slow')
  const [started, go] = [join(box.root, 'started'), join(box.root, 'go')]
  const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim()
  const script = [
    '#!/bin/sh',
    'for word; do',
    `  if [ "$word" = ${command} ]; then echo $$ >>'${started}'; while [ ! -e '${go}' ]; do sleep 0.01; done; fi`,
    'done',
    `exec '${git}' "$@"`,
  ]
  mkdirSync(bin)
  writeFileSync(join(bin, 'git'), `${script.join('\n')}\n`, { mode: 0o755 })
  return { env: { PATH: `${bin}:${box.env.PATH}` }, started, go }
}

test('each turn is recorded, in the mission and in the library, and its changes are in the store', async () => {
  const box = wrapperBox()
  const { id, terminal, directory, library } = await repoMission(box)
  await box.turn(id, terminal, 'One. [[write a.txt|one]] [[text Done.]]')
  await untilCheckpoint(box, id, 1)
  execFileSync('git', ['rm', '-q', 'README.md'], { cwd: directory })
  await box.turn(id, terminal, 'Two. [[write b.txt|two]] [[text Done.]]')
  await untilCheckpoint(box, id, 2)
  const files = (gitDir: string, ref: string) => show(gitDir, 'ls-tree', '--name-only', ref).split('\n')
  expect(files(join(directory, '.git'), 'refs/agenc/checkpoints/1')).toEqual(['README.md', 'a.txt'])
  expect(files(library, `refs/agenc/${id}/checkpoints/2`)).toEqual(['a.txt', 'b.txt'])
  const shown = box.agencJson<MissionJson>(['mission', 'show', id])
  expect(shown.changes).toMatchObject({ files: 3, insertions: 2, deletions: 1, ahead: 0, dirty: true })
  expect(box.agenc(['mission', 'ls']).stdout).toMatch(/CHANGES[^\n]*\n.*\+2 -1 \*/)
  expect(box.agenc(['status']).stdout).toMatch(/CHANGES[^\n]*\n.*\+2 -1 \*/)
  expect(box.agenc(['mission', 'show', id]).stdout).toContain('3 files, +2 -1, uncommitted changes')
  expect(shown.branch).toBe(show(join(directory, '.git'), 'symbolic-ref', '--short', 'HEAD'))
  expect(readFileSync(join(box.agencHome, 'missions', id, 'wrapper.log'), 'utf8')).not.toContain('checkpoint')
})

test('nothing is recorded if the settings say so, from the next turn on', async () => {
  const box = wrapperBox()
  const { id, terminal } = await repoMission(box)
  await box.turn(id, terminal, 'One. [[write a.txt|one]]')
  await untilCheckpoint(box, id, 1)
  box.agenc(['config', 'set', 'missions.checkpoints', 'false'])
  await box.turn(id, terminal, 'Two. [[write b.txt|two]]')
  box.agenc(['config', 'set', 'missions.checkpoints', 'true'])
  await box.turn(id, terminal, 'Three. [[write c.txt|three]]')
  await waitFor('the next checkpoint', () => checkpoints(box, id).length > 1)
  expect(checkpoints(box, id)).toEqual([1, 2])
})

test('turns that end during a checkpoint are recorded once, after it', async () => {
  const box = wrapperBox()
  const { env, started, go } = slowGit(box, 'pack-objects')
  const { id, terminal, library } = await repoMission(box, env)
  await box.turn(id, terminal, 'One. [[write a.txt|one]]')
  await waitFor('the checkpoint to start', () => readFileSync(started, 'utf8') !== '')
  await box.turn(id, terminal, 'Two. [[write b.txt|two]]')
  await box.turn(id, terminal, 'Three. [[write c.txt|three]]')
  expect(readFileSync(started, 'utf8').trim().split('\n')).toHaveLength(1)
  writeFileSync(go, '')
  await untilCheckpoint(box, id, 1)
  process.kill(terminal.pid, 'SIGTERM')
  await terminal.exited
  expect(show(library, 'ls-tree', '--name-only', `refs/agenc/${id}/checkpoints/1`)).toContain('a.txt')
})

test('a failure is only in the log, and the mission goes on', async () => {
  const box = wrapperBox()
  const { id, terminal, directory } = await repoMission(box)
  renameSync(join(directory, '.git'), join(directory, 'elsewhere'))
  await box.turn(id, terminal, 'One. [[text Done.]]')
  const log = join(box.agencHome, 'missions', id, 'wrapper.log')
  await waitFor('the log', () => readFileSync(log, 'utf8').includes('no checkpoint: '))
  expect(terminal.screen()).not.toContain('checkpoint')
  renameSync(join(directory, 'elsewhere'), join(directory, '.git'))
  await box.turn(id, terminal, 'Two. [[text Done.]]')
  await untilCheckpoint(box, id, 1)
  expect(readdirSync(directory)).toContain('README.md')
})

test('the end of Claude does not wait for a checkpoint, and nothing is left of it', async () => {
  const box = wrapperBox()
  const { env, started } = slowGit(box, 'pack-objects')
  const { id, terminal, library } = await repoMission(box, env)
  await box.turn(id, terminal, 'One. [[write a.txt|one]]')
  await waitFor('the checkpoint to start', () => readFileSync(started, 'utf8') !== '')
  await say(terminal, '/exit')
  await terminal.exited
  const pid = Number(readFileSync(started, 'utf8').trim())
  await waitFor('git to be gone', () => {
    try {
      return !process.kill(pid, 0)
    } catch {
      return true
    }
  })
  expect(readdirSync(library).filter(name => name.startsWith('.unfinished-'))).toEqual([])
  expect(show(library, 'for-each-ref', 'refs/agenc')).toBe('')
  expect(checkpoints(box, id)).toEqual([])
  expect(box.record(id)).toMatchObject({ wrapper_pid: null, exit_code: 0 })
})
