import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { MissionId } from '../../src/mission-id.ts'
import { shortId } from '../../src/mission-id.ts'
import { failingProgram } from '../faults/injectors/failing-program.ts'
import { fakeSsh, type GitBench, gitBench } from '../helpers/git.ts'
import { untilGone } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'
import { type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

interface Bench {
  box: WrapperBox
  repos: GitBench
}

/** A sandbox with a trusted repo that is fetched over a fake ssh. */
function bench(): Bench {
  const box = wrapperBox()
  Object.assign(box.env, fakeSsh(box.root))
  const repos = gitBench(box.root, box.env)
  repos.repo('hub/app')
  repos.git('.', 'clone', '--quiet', '--bare', 'hub/app', 'srv/app.git')
  const added = box.agenc(['repo', 'add', `ssh://host${box.root}/srv/app.git`, '--trust'])
  expect(added.stderr).not.toContain('agenc:')
  return { box, repos }
}

function library({ box }: Bench): string {
  return join(box.agencHome, 'repos', box.agencJson<{ id: string }[]>(['repo', 'ls'])[0]!.id)
}

function repoId({ box }: Bench): string {
  return box.agencJson<{ id: string }[]>(['repo', 'ls'])[0]!.id
}

/** Makes every further fetch hang, or reach the server again. */
function setHost(made: Bench, host: 'stalled' | 'host'): void {
  const path = library(made).slice(made.box.root.length + 1)
  made.repos.git(path, 'config', 'remote.origin.url', `ssh://${host}${made.box.root}/srv/app.git`)
}

async function start(made: Bench, ...args: string[]) {
  const terminal = made.box.run(['mission', 'new', repoId(made), ...args])
  const { id } = await waitFor('the mission', () => made.box.records()[0])
  return { id: id as MissionId, terminal, files: () => readdirSync(join(made.box.agencHome, 'missions', id)) }
}

async function stalledSsh({ box }: Bench): Promise<number> {
  const file = join(box.root, 'fake-ssh.pid')
  return Number(await waitFor('ssh', () => existsSync(file) && readFileSync(file, 'utf8').trim()))
}

test('a fetch that hangs is given up after the time limit, with its ssh, and a line says so', async () => {
  const made = bench()
  setHost(made, 'stalled')
  made.box.agenc(['config', 'set', 'repos.fetch_timeout', '1'])
  const { id, terminal } = await start(made)
  await made.box.ready(id)
  expect(terminal.raw()).toMatch(
    /agenc: cannot reach origin within 1 s; starting on main@[0-9a-f]{7}, fetched \d+ s ago/,
  )
  await untilGone(await stalledSsh(made))
  expect(made.box.record(id)).toMatchObject({ copy_pending: null, base_ref: 'main' })
})

test('Ctrl-C during the fetch ends the mission, and a resume makes the copy from the start', async () => {
  const made = bench()
  setHost(made, 'stalled')
  made.box.agenc(['config', 'set', 'repos.fetch_timeout', '600'])
  const { id, terminal, files } = await start(made, '--prompt', 'kept', '--branch', 'mine')
  const ssh = await stalledSsh(made)
  const dir = made.box.agenc(['mission', 'fork', id, '--detach'])
  expect(dir.stderr).toContain(`the working copy of ${shortId(id)} is not there yet`)
  terminal.type('\u0003')
  expect(await terminal.exited).toBe(130)
  await untilGone(ssh)
  expect(made.box.record(id)).toMatchObject({ wrapper_pid: null, branch: null, ended_by: 'user' })
  expect(files().filter(name => name === 'agent' || name.startsWith('.'))).toEqual([])
  const missing = made.box.agenc(['mission', 'dir', id])
  expect(missing).toMatchObject({ exitCode: 1, stdout: '' })
  expect(missing.stderr).toContain(`agenc mission resume ${shortId(id)}`)
  expect(made.box.agenc(['doctor']).stdout).not.toContain(shortId(id))
  setHost(made, 'host')
  made.box.run(['mission', 'resume', id])
  await made.box.ready(id)
  expect(made.box.record(id)).toMatchObject({ copy_pending: null, branch: 'mine', about: 'kept' })
  expect(made.box.agenc(['mission', 'dir', id]).stdout.trim()).toBe(
    join(made.box.agencHome, 'missions', id, 'agent'),
  )
})

test('a wrapper that is killed during the fetch leaves nothing half-made', async () => {
  const made = bench()
  setHost(made, 'stalled')
  made.box.agenc(['config', 'set', 'repos.fetch_timeout', '600'])
  const { id, terminal, files } = await start(made)
  const ssh = await stalledSsh(made)
  process.kill(made.box.record(id).wrapper_pid!, 'SIGKILL')
  await terminal.exited
  process.kill(ssh, 'SIGKILL')
  expect(files()).not.toContain('agent')
  setHost(made, 'host')
  made.box.run(['mission', 'resume', id])
  await made.box.ready(id)
  expect(made.box.record(id)).toMatchObject({ copy_pending: null, base_ref: 'main' })
})

test.each(['clone', 'read-tree'])(
  'git dies at its %s: nothing half-made is left, and a resume makes the copy',
  async word => {
    const made = bench()
    const failing = failingProgram(made.box, 'git', word, 'dies after')
    const terminal = made.box.run(['mission', 'new', repoId(made)], { env: failing.env })
    await terminal.waitForText('q: close')
    const { id } = made.box.records()[0]!
    expect(terminal.raw()).toContain('git was killed by SIGKILL')
    expect(terminal.raw()).toContain(`agenc mission resume ${shortId(id)}`)
    const left = readdirSync(join(made.box.agencHome, 'missions', id))
    expect(left.filter(name => name === 'agent' || name.startsWith('.'))).toEqual([])
    terminal.type('q')
    await terminal.exited
    made.box.run(['mission', 'resume', id])
    await made.box.ready(id)
    expect(made.box.record(id)).toMatchObject({ copy_pending: null, base_ref: 'main' })
  },
)

test('a base that is gone after the fetch: the error says where it was, and rm deletes the mission', async () => {
  const made = bench()
  made.repos.git('srv/app.git', 'branch', 'release', 'main')
  made.box.agenc(['repo', 'update'])
  made.repos.git('srv/app.git', 'branch', '--delete', 'release')
  const { id, terminal, files } = await start(made, '--base', 'release')
  await terminal.waitForText('no longer has "release"')
  await terminal.waitForText(/It was at [0-9a-f]{12}/)
  await terminal.waitForText(`agenc mission resume ${shortId(id)}`)
  expect(files()).not.toContain('agent')
  await terminal.waitForText('q: close')
  terminal.type('q')
  await terminal.exited
  expect(made.box.agenc(['mission', 'rm', '--yes', id]).exitCode).toBe(0)
  expect(made.box.agencJson(['mission', 'ls', '--all'])).toEqual([])
})

test('missions that are started at once on one repo all start on the newest commit', async () => {
  const made = bench()
  made.repos.commit('hub/app', { newest: 'x' })
  made.repos.git('hub/app', 'push', '--quiet', '../../srv/app.git', 'main')
  const commit = made.repos.git('hub/app', 'rev-parse', 'main')
  for (const _ of [1, 2, 3]) made.box.run(['mission', 'new', repoId(made)])
  const records = await waitFor('three working copies', () => {
    const done = made.box.records().filter(({ copy_pending }) => copy_pending === null)
    return done.length === 3 && done
  })
  expect(records.map(({ base_commit }) => base_commit)).toEqual([commit, commit, commit])
})

test('--pr starts on the head of a pull request or merge request', async () => {
  const made = bench()
  const main = made.repos.git('hub/app', 'rev-parse', 'main')
  for (const [branch, ref] of [
    ['one', 'refs/pull/7/head'],
    ['two', 'refs/merge-requests/8/head'],
  ] as const) {
    made.repos.git('hub/app', 'switch', '--quiet', '--create', branch, main)
    made.repos.commit('hub/app', { [branch]: 'x' })
    made.repos.git('hub/app', 'push', '--quiet', '../../srv/app.git', `${branch}:${ref}`)
  }
  made.repos.git('hub/app', 'switch', '--quiet', 'main')
  made.repos.commit('hub/app', { later: 'x' })
  made.repos.git('hub/app', 'push', '--quiet', '../../srv/app.git', 'main')
  const { id } = await start(made, '--pr', '7')
  await made.box.ready(id)
  expect(made.box.record(id)).toMatchObject({
    branch: 'pr-7',
    base_ref: 'main',
    base_commit: main,
    pr_number: 7,
  })
  const dir = join('agenc', 'missions', id, 'agent')
  expect(made.repos.git(dir, 'rev-parse', 'HEAD')).toBe(made.repos.git('hub/app', 'rev-parse', 'one'))
  expect(made.repos.git(dir, 'status', '--branch', '--porcelain')).toBe('## pr-7')
  const shown = made.box.agencJson<{ pr: unknown }>(['mission', 'show', id])
  expect(shown.pr).toMatchObject({ number: 7, url: expect.stringMatching(/\/pull\/7$/) })
  made.box.run(['mission', 'new', repoId(made), '--pr', '8'])
  await waitFor('the second mission', () => made.box.records()[1]?.branch === 'pr-8')

  const create = (...args: string[]) => made.box.agenc(['mission', 'new', repoId(made), '--detach', ...args])
  const unknown = create('--pr', '9')
  expect(unknown).toMatchObject({ exitCode: 1, stdout: '' })
  expect(unknown.stderr).toContain('has no pull request 9')
  expect(create('--pr', '9', '--offline').stderr).toContain('is not in the library')
  for (const bad of [
    ['--pr', '7', '--base', 'main'],
    ['--pr', '7', '--branch', 'x'],
    ['--pr', 'seven'],
    ['--pr', '0'],
  ])
    expect(create(...bad)).toMatchObject({ exitCode: 64, stdout: '' })
  expect(made.box.records()).toHaveLength(2)
})
