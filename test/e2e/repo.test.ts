import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { insertMission } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import { newMissionId } from '../../src/mission-id.ts'
import type { RepoJson } from '../../src/repo/catalogue.ts'
import { aMission } from '../helpers/a-mission.ts'
import { agencScript, type Sandbox, sandbox } from '../helpers/cli.ts'
import { type GitBench, gitBench } from '../helpers/git.ts'
import { isAlive } from '../helpers/processes.ts'
import { openTerminal, type Terminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

interface Library extends Sandbox {
  bench: GitBench
  /** Everything in the library, including hidden temporary directories. */
  entries(): string[]
  terminal(args: string[], env?: NodeJS.ProcessEnv): Terminal
}

function library(): Library {
  const box = sandbox()
  const repos = join(box.agencHome, 'repos')
  return {
    ...box,
    bench: gitBench(box.root, box.env),
    entries: () => (existsSync(repos) ? readdirSync(repos, { recursive: true, encoding: 'utf8' }) : []),
    terminal: (args, env = {}) =>
      openTerminal(process.execPath, [agencScript, ...args], { env: { ...box.env, ...env }, cwd: box.root }),
  }
}

test('add, ls, trust, update and rm', () => {
  const box = library()
  box.bench.repo('src/app')
  const added = box.agenc(['repo', 'add', './src/app'])
  expect(added).toMatchObject({ exitCode: 0, stdout: 'local/src/app\n' })
  expect(added.stderr).toContain('agenc repo trust local/src/app')

  const path = join(box.agencHome, 'repos/local/src/app')
  const [repo] = box.agencJson<RepoJson[]>(['repo', 'ls'])
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  expect(repo).toEqual({
    id: 'local/src/app',
    url: join(box.root, 'src/app'),
    path,
    trusted: null,
    missions: 0,
    disk_bytes: expect.any(Number),
    added_at: time,
    updated_at: time,
  })
  expect(statSync(path).mode & 0o077).toBe(0)
  expect(box.agenc(['repo', 'ls']).stdout).toContain(path)

  expect(box.agencJson(['repo', 'trust', 'app'])).toMatchObject({ trusted: true })
  expect(box.agencJson(['repo', 'trust', 'src/app', '--revoke'])).toMatchObject({ trusted: false })

  box.bench.commit('src/app', { more: 'x' })
  expect(box.agencJson(['repo', 'update', 'app'])).toMatchObject([
    { id: 'local/src/app', updated: true, error: null },
  ])
  expect(box.bench.git('agenc/repos/local/src/app', 'rev-parse', 'main')).toBe(
    box.bench.git('src/app', 'rev-parse', 'main'),
  )

  expect(box.agenc(['repo', 'rm', 'app'])).toMatchObject({
    exitCode: 64,
    stderr: expect.stringContaining('--yes'),
  })
  expect(box.agencJson(['repo', 'rm', 'app', '--yes'])).toEqual({ id: 'local/src/app', removed: true })
  expect(box.entries()).toEqual([])
  expect(box.agencJson(['repo', 'ls'])).toEqual([])
})

test('owner/name is a repo on GitHub, and the git settings of the user apply', () => {
  const box = library()
  box.bench.repo('mirror/acme/app.git')
  box.bench.userConfig(`[url "${box.root}/mirror/"]\n  insteadOf = https://github.com/\n`)
  expect(box.agencJson(['repo', 'add', 'acme/app', '--trust'])).toMatchObject({
    id: 'github.com/acme/app',
    url: 'https://github.com/acme/app.git',
    trusted: true,
  })
  expect(box.agenc(['repo', 'add', 'Acme/App'])).toMatchObject({
    exitCode: 0,
    stdout: 'github.com/acme/app\n',
    stderr: expect.stringContaining('already'),
  })
})

test.each([
  ['--upload-pack=touch x'],
  ['ext::sh -c touch% x'],
  ['fd::3'],
  ['../../x'],
  ['owner/na\u001b[31mme'],
  ['owner/\n'],
  ['ssh://-oProxyCommand=touch/x/y'],
  ['https://host/../../x'],
  ['owner/.git'],
  [''],
])('hostile input is refused with a reason and creates nothing: %j', text => {
  const box = library()
  const refused = box.agenc(['repo', 'add', '--', text])
  expect(refused.exitCode).toBe(64)
  expect(refused.stdout).toBe('')
  expect(refused.stderr).toMatch(/^agenc: .+ is not a repo: .+\n.+\n$/)
  expect(refused.stderr).not.toContain('\u001b')
  expect(readdirSync(box.root).sort()).toEqual(['home', 'tmux'])
})

test('an unreachable remote gives exit 1 and a reason, and leaves nothing behind', () => {
  const box = library()
  const failed = box.agenc(['repo', 'add', 'http://me:hunter2@127.0.0.1:1/acme/app'])
  expect(failed.exitCode).toBe(1)
  expect(failed.stderr).toMatch(/^agenc: cannot clone http:\/\/127\.0\.0\.1:1\/acme\/app: /)
  expect(failed.stderr).not.toContain('hunter2')
  expect(box.entries()).toEqual([])
  expect(box.agencJson(['repo', 'ls'])).toEqual([])
})

/** An ssh that connects and then sends nothing. */
function stalledSsh(box: Library): { env: NodeJS.ProcessEnv; pid: () => number | false } {
  const program = join(box.root, 'stalled-ssh')
  const pidFile = join(box.root, 'ssh-pid')
  writeFileSync(
    program,
    `#!/bin/sh\necho $$ > '${pidFile}.new' && mv '${pidFile}.new' '${pidFile}'\nexec cat\n`,
    {
      mode: 0o755,
    },
  )
  return {
    env: { GIT_SSH_COMMAND: program },
    pid: () => existsSync(pidFile) && Number(readFileSync(pidFile, 'utf8')),
  }
}

test.each(['Ctrl-C', 'SIGTERM', 'SIGHUP'])(
  '%s during a clone gives exit 130, ends git and ssh, and leaves nothing behind',
  async way => {
    const box = library()
    const ssh = stalledSsh(box)
    const terminal = box.terminal(['repo', 'add', 'git@example.com:acme/app.git', '--no-trust'], ssh.env)
    const pid = await waitFor('ssh to start', ssh.pid)
    expect(box.entries()).not.toEqual([])
    if (way === 'Ctrl-C') terminal.type('\u0003')
    else process.kill(terminal.pid, way)
    expect(await terminal.exited).toBe(130)
    expect(box.entries()).toEqual([])
    await waitFor('ssh to end', () => !isAlive(pid))
    expect(box.agencJson(['repo', 'ls'])).toEqual([])
  },
)

test('on a terminal it asks for trust once, and shows the progress of git', async () => {
  const box = library()
  box.bench.repo('src/app')
  const terminal = box.terminal(['repo', 'add', './src/app'])
  await terminal.waitForText('Do you trust local/src/app?')
  terminal.type('y\r')
  expect(await terminal.exited).toBe(0)
  expect(terminal.raw()).toContain("Cloning into bare repository 'app'")
  expect(terminal.raw()).toContain('Receiving objects')
  expect(box.agencJson<RepoJson[]>(['repo', 'ls'])).toMatchObject([{ trusted: true }])
})

test('Ctrl-C at the question gives exit 130 and leaves nothing behind', async () => {
  const box = library()
  box.bench.repo('src/app')
  const terminal = box.terminal(['repo', 'add', './src/app'])
  await terminal.waitForText('Do you trust')
  terminal.type('\u0003')
  expect(await terminal.exited).toBe(130)
  expect(box.entries()).toEqual([])
})

test('without a repo, a terminal shows a picker; elsewhere it is a usage error', async () => {
  const box = library()
  box.bench.repo('src/app')
  box.agenc(['repo', 'add', './src/app'])
  for (const verb of ['trust', 'rm']) expect(box.agenc(['repo', verb]).exitCode).toBe(64)
  const terminal = box.terminal(['repo', 'trust'])
  await terminal.waitForText('local/src/app')
  terminal.type('\r')
  expect(await terminal.exited).toBe(0)
  expect(box.agencJson<RepoJson[]>(['repo', 'ls'])).toMatchObject([{ trusted: true }])
})

test('of two adds at once both succeed, and one says that the repo was added already', async () => {
  const box = library()
  box.bench.repo('src/app')
  const runs = await Promise.all([1, 2].map(() => box.agencAsync(['repo', 'add', './src/app', '--no-trust'])))
  expect(runs.map(({ exitCode, stdout }) => [exitCode, stdout])).toEqual([
    [0, 'local/src/app\n'],
    [0, 'local/src/app\n'],
  ])
  expect(runs.filter(({ stderr }) => stderr.includes('already'))).toHaveLength(1)
  expect(readdirSync(join(box.agencHome, 'repos'))).toEqual(['local'])
})

test('an update reports each failure and goes on with the rest', async () => {
  const box = library()
  for (const name of ['one', 'two', 'three']) {
    box.bench.repo(`src/${name}`)
    box.agenc(['repo', 'add', `./src/${name}`, '--no-trust'])
    box.bench.commit(`src/${name}`, { more: 'x' })
  }
  rmSync(join(box.root, 'src/two'), { recursive: true })
  const updated = box.agenc(['repo', 'update', '--json'])
  expect(updated.exitCode).toBe(1)
  expect(JSON.parse(updated.stdout)).toMatchObject([
    { id: 'local/src/one', updated: true, error: null },
    { id: 'local/src/three', updated: true, error: null },
    { id: 'local/src/two', updated: false, error: expect.stringContaining('cannot fetch') },
  ])
  expect(updated.stderr).toContain('failed  local/src/two')
  expect(updated.stderr).toContain('agenc: 1 of 3 could not be updated')
  expect(box.agenc(['repo', 'update', 'two']).stderr).toContain(
    `git ls-remote ${join(box.root, 'src/two')}\n`,
  )
  const terminal = box.terminal(['repo', 'update'])
  expect(await terminal.exited).toBe(1)
  expect(terminal.raw()).toContain('of 3 done, fetching')
  expect(terminal.screen()).not.toContain('fetching')
})

test('an update deletes what a git that was ended has left behind, but not what one is writing', () => {
  const box = library()
  box.bench.repo('src/app')
  box.agenc(['repo', 'add', './src/app', '--no-trust'])
  const packs = join(box.agencHome, 'repos/local/src/app/objects/pack')
  const before = readdirSync(packs)
  const old = Date.now() / 1000 - 2 * 3600
  for (const name of ['tmp_pack_abandoned', 'tmp_idx_abandoned', '.tmp-1-pack-abandoned.pack']) {
    writeFileSync(join(packs, name), 'x')
    utimesSync(join(packs, name), old, old)
  }
  writeFileSync(join(packs, 'tmp_pack_growing'), 'x')
  expect(box.agenc(['repo', 'update'])).toMatchObject({ exitCode: 0 })
  expect(readdirSync(packs).sort()).toEqual([...before, 'tmp_pack_growing'].sort())
})

test('a repo with missions is not removed', async () => {
  const box = library()
  box.bench.repo('src/app')
  box.agenc(['repo', 'add', './src/app', '--no-trust'])
  const id = newMissionId()
  const store = await openStore(join(box.agencHome, 'database.sqlite'))
  insertMission(store, aMission({ id, name: 'fix it', repo: 'local/src/app' }))
  store.close()
  const refused = box.agenc(['repo', 'rm', 'app', '--yes'])
  expect(refused).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('a mission is on local/src/app'),
  })
  expect(refused.stderr).toContain('fix it')
  expect(box.agencJson<RepoJson[]>(['repo', 'ls'])).toMatchObject([{ missions: 1 }])
})

test('two directories with the same name get different ids', () => {
  const box = library()
  box.bench.repo('a/src/app')
  box.bench.repo('b/src/app')
  box.agenc(['repo', 'add', './a/src/app', '--no-trust'])
  const refused = box.agenc(['repo', 'add', './b/src/app', '--no-trust'])
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(join(box.root, 'a/src/app')) })
})

test('a clone that is missing from the store is taken over', () => {
  const box = library()
  box.bench.repo('src/app')
  box.agenc(['repo', 'add', './src/app', '--no-trust'])
  for (const name of readdirSync(box.agencHome)) {
    if (name.startsWith('database')) rmSync(join(box.agencHome, name))
  }
  expect(box.agenc(['repo', 'add', './src/app', '--no-trust']).exitCode).toBe(0)
  expect(box.agencJson<RepoJson[]>(['repo', 'ls'])).toMatchObject([{ id: 'local/src/app', trusted: false }])
})
