import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { parse } from 'jsonc-parser'
import { expect, test } from 'vitest'
import { taskLabel } from '../../src/editor/task-files.ts'
import { agencScript, type Sandbox, sandbox } from '../helpers/cli.ts'
import { storeMissions } from '../helpers/missions.ts'
import { openTerminal } from '../helpers/terminal.ts'

interface Project extends Sandbox {
  id: string
  dir: string
  zed: string
  vscode: string
  tasks(...args: string[]): ReturnType<Sandbox['agenc']>
}

async function project(): Promise<Project> {
  const box = sandbox()
  const [id] = await storeMissions(box, [{ name: 'web' }])
  const dir = join(box.agencHome, 'missions', id!, 'agent')
  return {
    ...box,
    id: id!,
    dir,
    zed: join(dir, '.zed/tasks.json'),
    vscode: join(dir, '.vscode/tasks.json'),
    tasks: (...args) => box.agenc(['editor', 'tasks', ...args], { cwd: dir }),
  }
}

function put(path: string, text: string, mode = 0o644): void {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
}

const read = (path: string) => readFileSync(path, 'utf8')

test('tasks writes both files, and a second run changes nothing', async () => {
  const box = await project()
  const first = box.tasks('--json')
  const files = (changed: boolean) => [
    { path: '.zed/tasks.json', changed, by_hand: [] },
    { path: '.vscode/tasks.json', changed, by_hand: [] },
  ]
  expect(JSON.parse(first.stdout)).toEqual({ id: box.id, dir: box.dir, files: files(true) })
  const start = { label: taskLabel, command: 'agenc', args: ['mission', 'resume', box.id] }
  expect(parse(read(box.zed))).toEqual([expect.objectContaining(start)])
  expect(parse(read(box.vscode)).tasks).toEqual([expect.objectContaining(start)])
  expect(statSync(box.zed).mode & 0o777).toBe(0o600)

  const before = [read(box.zed), read(box.vscode)]
  const inode = statSync(box.zed).ino
  expect(JSON.parse(box.tasks('--json').stdout).files).toEqual(files(false))
  expect([read(box.zed), read(box.vscode)]).toEqual(before)
  expect(statSync(box.zed).ino).toBe(inode)
  expect(box.tasks().stderr).toBe('.zed/tasks.json: up to date\n.vscode/tasks.json: up to date\n')
})

test('the rest of a file and its mode stay', async () => {
  const box = await project()
  const old = '// mine\n[\n    { "label": "test", "command": "npm test" } // quick\n]\n'
  put(box.zed, old, 0o644)
  expect(box.tasks().exitCode).toBe(0)
  expect(read(box.zed)).toMatch(
    /^\/\/ mine\n\[\n {4}\{ "label": "test", "command": "npm test" \}, \/\/ quick\n/,
  )
  expect(statSync(box.zed).mode & 0o777).toBe(0o644)
})

test('an invalid file is an error, and both files stay unchanged', async () => {
  const box = await project()
  put(box.vscode, '{ "tasks": [ ')
  const done = box.tasks()
  expect(done.exitCode).toBe(1)
  expect(done.stderr).toContain('agenc: .vscode/tasks.json is not valid JSON')
  expect(read(box.vscode)).toBe('{ "tasks": [ ')
  expect(existsSync(box.zed)).toBe(false)
})

test('a file in place of a directory is an error that names the path', async () => {
  const box = await project()
  put(join(box.dir, '.vscode'), '')
  const done = box.tasks()
  expect(done.exitCode).toBe(1)
  expect(done.stderr).toContain('agenc: cannot read .vscode/tasks.json')
  expect(existsSync(box.zed)).toBe(false)
})

test.each([
  ['.zed/tasks.json', 'a file'],
  ['.vscode', 'a directory'],
  ['.vscode/tasks.json', 'nothing'],
  ['.vscode', 'nothing'],
])('%s is a link to %s outside: nothing is written there', async (path, what) => {
  const box = await project()
  const outside = join(box.root, 'outside')
  if (what === 'a file') put(outside, '')
  if (what === 'a directory') mkdirSync(outside)
  mkdirSync(join(box.dir, path, '..'), { recursive: true })
  symlinkSync(outside, join(box.dir, path))
  const done = box.tasks()
  expect(done.exitCode).toBe(1)
  expect(done.stderr).toContain('leads out of the mission')
  if (what === 'a file') expect(read(outside)).toBe('')
  if (what === 'a directory') expect(readdirSync(outside)).toEqual([])
  if (what === 'nothing') expect(existsSync(outside)).toBe(false)
})

test('the mission is that of the given directory, the current one, or the one this runs in', async () => {
  const box = await project()
  const [other] = await storeMissions(box, [{}])
  mkdirSync(join(box.dir, 'src'))
  const idOf = (args: string[], options: { cwd: string; env?: NodeJS.ProcessEnv }) =>
    JSON.parse(box.agenc(['editor', 'tasks', ...args, '--json'], options).stdout).id
  expect(idOf([box.dir], { cwd: box.root })).toBe(box.id)
  expect(idOf(['src'], { cwd: box.dir })).toBe(box.id)
  expect(idOf([], { cwd: box.root, env: { AGENC_MISSION_UUID: other } })).toBe(other)
  expect(idOf([], { cwd: box.dir, env: { AGENC_MISSION_UUID: other } })).toBe(box.id)
  expect(existsSync(join(box.dir, 'src/.zed'))).toBe(false)

  for (const args of [[], [box.root], ['no-such-directory']]) {
    const done = box.agenc(['editor', 'tasks', ...args], { cwd: box.root })
    expect(done.exitCode).toBe(64)
    expect(done.stderr).toMatch(/is not a mission's directory\nName one: /)
  }
})

const byHand = `[
  // the quick way
  { "label": "go", "command": "claude --dangerously-skip-permissions" }
]
`

test('a task that skips all permissions is reported, and replaced only with --replace', async () => {
  const box = await project()
  put(box.zed, byHand)
  const kept = box.tasks('--json')
  expect(kept.exitCode).toBe(0)
  expect(kept.stderr).toContain('the task "go" starts claude --dangerously-skip-permissions')
  expect(kept.stderr).toContain('--replace')
  expect(JSON.parse(kept.stdout).files[0]).toEqual({
    path: '.zed/tasks.json',
    changed: true,
    by_hand: ['go'],
  })
  expect(read(box.zed)).toContain('--dangerously-skip-permissions')
  expect(box.tasks('--keep').stderr).not.toContain('dangerously')
  expect(box.tasks('--keep', '--replace').exitCode).toBe(64)

  expect(box.tasks('--replace').exitCode).toBe(0)
  expect(read(box.zed)).not.toContain('dangerously')
  expect(read(box.zed)).toContain('// the quick way')
  const start = { command: 'agenc', args: ['mission', 'resume', box.id] }
  expect(parse(read(box.zed))).toEqual([
    { label: 'go', ...start },
    expect.objectContaining({ label: taskLabel, ...start }),
  ])
})

test.each([
  ['y', false],
  ['n', true],
])('on a terminal the user is asked: %s', async (answer, staysByHand) => {
  const box = await project()
  put(box.zed, byHand)
  const terminal = openTerminal(process.execPath, [agencScript, 'editor', 'tasks'], {
    env: box.env,
    cwd: box.dir,
  })
  await terminal.waitForText('Make it start this mission instead?')
  terminal.type(`${answer}\r`)
  expect(await terminal.exited).toBe(0)
  expect(read(box.zed).includes('dangerously')).toBe(staysByHand)
  expect(read(box.zed)).toContain(taskLabel)
})

test('cancelled at the question: nothing is written', async () => {
  const box = await project()
  put(box.zed, byHand)
  const terminal = openTerminal(process.execPath, [agencScript, 'editor', 'tasks'], {
    env: box.env,
    cwd: box.dir,
  })
  await terminal.waitForText('Make it start this mission instead?')
  terminal.type('\u0003')
  expect(await terminal.exited).toBe(130)
  expect(read(box.zed)).toBe(byHand)
  expect(existsSync(box.vscode)).toBe(false)
})
