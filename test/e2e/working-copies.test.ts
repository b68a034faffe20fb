import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fakeSsh, type GitBench, gitBench } from '../helpers/git.ts'
import { untilGone } from '../helpers/processes.ts'
import { sessionBox } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'
import { type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

interface Bench {
  box: WrapperBox
  repos: GitBench
}

function bench(): Bench {
  const box = wrapperBox()
  Object.assign(box.env, fakeSsh(box.root))
  return { box, repos: gitBench(box.root, box.env) }
}

/** Adds a repo with the submodules `lib` and `gone`, of which only the first can be fetched. Returns its id. */
function addWithSubmodules({ box, repos }: Bench, trust: string): string {
  repos.repo('hub/lib', { file: 'x' })
  repos.repo('hub/app')
  for (const path of ['lib', 'gone']) {
    const add = ['submodule', 'add', '--quiet', '--name', path, join(box.root, 'hub/lib'), path]
    repos.git('hub/app', '-c', 'protocol.file.allow=always', ...add)
    repos.git('hub/app', 'config', '--file', '.gitmodules', `submodule.${path}.url`, `../${path}`)
  }
  repos.commit('hub/app', {})
  repos.git('.', 'clone', '--quiet', `ssh://host${box.root}/hub/app`, 'src/app')
  const added = box.agenc(['repo', 'add', join(box.root, 'src/app'), trust])
  expect(added.stderr).not.toContain('agenc:')
  return added.stdout.trim()
}

async function newMission({ box }: Bench, repo: string) {
  const terminal = box.run(['mission', 'new', repo])
  const { id } = await waitFor('the mission', () => box.records()[0])
  const has = (path: string) => existsSync(join(box.agencHome, 'missions', id, 'agent', path))
  return { id, terminal, has }
}

test('the submodules of a trusted repo are there when Claude starts; a missing one is named', async () => {
  const made = bench()
  const { id, terminal, has } = await newMission(made, addWithSubmodules(made, '--trust'))
  await made.box.ready(id)
  expect(has('lib/file')).toBe(true)
  const screen = terminal.raw()
  expect(screen).toContain('agenc: fetching the submodules')
  expect(screen).toMatch(/Receiving objects: +100%/)
  expect(screen).toMatch(/agenc: submodule gone is missing: .*does not appear to be a git repository/)
  expect(made.box.record(id).setup_pending).toBe(0)
})

test('those of an untrusted repo are left out, and a line says so', async () => {
  const made = bench()
  const repo = addWithSubmodules(made, '--no-trust')
  const { id, terminal, has } = await newMission(made, repo)
  await made.box.until(id, 'waiting:trust')
  expect(has('lib')).toBe(true)
  expect(has('lib/file') || has('.git/modules')).toBe(false)
  expect(terminal.raw()).toContain(`agenc: submodules are left out, because ${repo} is not trusted.`)
})

test('they are not fetched again on a resume, and what Claude did there stays', async () => {
  const made = bench()
  const { id, terminal, has } = await newMission(made, addWithSubmodules(made, '--trust'))
  await made.box.ready(id)
  const lib = join('missions', id, 'agent', 'lib')
  const repos = gitBench(made.box.agencHome, made.box.env)
  repos.commit(lib, { work: 'x' })
  const commit = repos.git(lib, 'rev-parse', 'HEAD')
  process.kill(terminal.pid, 'SIGTERM')
  await terminal.exited
  const resumed = made.box.run(['mission', 'resume', id])
  await made.box.ready(id)
  expect(repos.git(lib, 'rev-parse', 'HEAD')).toBe(commit)
  expect(resumed.raw()).not.toContain('submodule')
  expect(has('gone/.git')).toBe(false)
})

test('SIGTERM ends the fetch with everything it started, and Claude is not started', async () => {
  const made = bench()
  const { box, repos } = made
  repos.repo('src/app')
  const add = ['submodule', 'add', '--quiet', join(box.root, 'src/app'), 'lib']
  repos.git('src/app', '-c', 'protocol.file.allow=always', ...add)
  repos.git('src/app', 'config', '--file', '.gitmodules', 'submodule.lib.url', 'ssh://stalled/lib')
  repos.commit('src/app', {})
  const repo = box.agenc(['repo', 'add', join(box.root, 'src/app'), '--trust']).stdout.trim()
  const { id, terminal } = await newMission(made, repo)
  const pidFile = join(box.root, 'fake-ssh.pid')
  const ssh = await waitFor('ssh', () => Number(readFileSync(pidFile, 'utf8')))
  process.kill(terminal.pid, 'SIGTERM')
  expect(await terminal.exited).toBe(143)
  await untilGone(ssh)
  expect(box.record(id)).toMatchObject({ wrapper_pid: null, claude_pid: null, setup_pending: 1 })
  expect(terminal.raw()).not.toContain('is missing')
})

test('an unpushed branch of a repo that was added by path is not one of its origin', async () => {
  const made = bench()
  const { box, repos } = made
  repos.repo('hub/app')
  repos.git('.', 'clone', '--quiet', join(box.root, 'hub/app'), 'src/app')
  repos.git('src/app', 'branch', 'wip')
  const { id } = await newMission(
    made,
    box.agenc(['repo', 'add', join(box.root, 'src/app'), '--trust']).stdout.trim(),
  )
  await box.ready(id)
  const git = gitBench(box.agencHome, box.env).git
  expect(git(join('missions', id, 'agent'), 'branch', '--remotes', '--format=%(refname:lstrip=2)')).toBe(
    'local/HEAD\nlocal/main\nlocal/wip\norigin/HEAD\norigin/main',
  )
})

test('in the session, a message names the submodules that are missing', async () => {
  const box = sessionBox()
  const repos = gitBench(box.root, box.env)
  repos.repo('src/lib')
  repos.repo('src/app')
  const add = ['submodule', 'add', '--quiet', join(box.root, 'src/lib'), 'lib']
  repos.git('src/app', '-c', 'protocol.file.allow=always', ...add)
  repos.commit('src/app', {})
  const first = await box.start()
  const client = box.attach()
  await client.waitForText('1 idle')
  const repo = box.agenc(['repo', 'add', join(box.root, 'src/app'), '--trust']).stdout.trim()
  const made = box.agenc(['mission', 'new', repo, '--no-focus'], { env: box.inside(first.id) })
  await client.waitForText('starts without submodules: lib')
  await box.waitForState(made.stdout.trim(), 'idle')
  const log = join(box.agencHome, 'missions', made.stdout.trim(), 'setup.log')
  expect(readFileSync(log, 'utf8')).toContain("transport 'file' not allowed")
})

test('in the session, both the command and the new window say that submodules are left out', async () => {
  const box = sessionBox()
  const first = await box.start()
  const repos = gitBench(box.root, box.env)
  repos.repo('src/lib')
  repos.repo('src/app')
  const add = ['submodule', 'add', '--quiet', join(box.root, 'src/lib'), 'lib']
  repos.git('src/app', '-c', 'protocol.file.allow=always', ...add)
  repos.commit('src/app', {})
  const repo = box.agenc(['repo', 'add', join(box.root, 'src/app'), '--no-trust']).stdout.trim()
  const line = `agenc: submodules are left out, because ${repo} is not trusted.`
  const made = box.agenc(['mission', 'new', repo, '--no-focus'], { env: box.inside(first.id) })
  expect(made.stderr).toContain(line)
  const id = made.stdout.trim()
  await box.waitForState(id, 'waiting')
  expect(box.tmux('capture-pane', '-p', '-J', '-S', '-', '-t', box.windowOf(id)!.id)).toContain(line)
})
