import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { agencScript } from '../helpers/cli.ts'
import { fakeSsh, writeBelow } from '../helpers/git.ts'
import { storeMissions, writeProgram } from '../helpers/missions.ts'
import { isAlive } from '../helpers/processes.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'
import { type WorkBox, type WorkMission, workBox } from '../helpers/work-missions.ts'

interface PushJson {
  id: string
  branch: string
  commit: string
  pushed: boolean
  url: string
  pull_request_url: string | null
}

/** A bare repo as the server, which the user's git settings know as acme/app on GitHub. */
async function onGitHub(name = 'one'): Promise<{ box: WorkBox; repo: string; mission: WorkMission }> {
  const box = workBox()
  box.bench.repo('seed')
  box.bench.git('.', 'clone', '--quiet', '--bare', 'seed', 'server/acme/app.git')
  box.bench.userConfig(`[url "${box.root}/server/"]\n  insteadOf = https://github.com/\n`)
  const repo = box.add('acme/app')
  return { box, repo, mission: await box.mission(repo, name) }
}

function server(box: WorkBox, ...args: string[]): string {
  return box.bench.git('server/acme/app.git', ...args)
}

function hook(box: WorkBox, script: string): void {
  mkdirSync(join(box.root, 'server/acme/app.git/hooks'), { recursive: true })
  writeProgram(join(box.root, 'server/acme/app.git/hooks/pre-receive'), script)
}

function push(box: WorkBox, ...args: string[]): PushJson {
  return box.agencJson(['mission', 'push', ...args])
}

test('a branch is pushed, library and mission know it, and the address of a pull request is printed', async () => {
  const { box, repo, mission } = await onGitHub('fix/ü#1')
  const commit = mission.commit({ 'new.txt': 'new\n' })
  const pushed = box.agenc(['mission', 'push', mission.id])
  expect(pushed).toMatchObject({
    exitCode: 0,
    stdout: 'https://github.com/acme/app/pull/new/agenc/fix/%C3%BC%231\n',
  })
  expect(pushed.stderr).toContain(`Pushed ${mission.branch} (${commit.slice(0, 7)}) to https://github.com/`)
  expect(server(box, 'rev-parse', `refs/heads/${mission.branch}`)).toBe(commit)
  expect(box.library(repo, 'rev-parse', `refs/heads/${mission.branch}`)).toBe(commit)
  expect(mission.git('rev-parse', '@{upstream}')).toBe(commit)
  expect(mission.git('status', '--short', '--branch')).toBe(`## ${mission.branch}...origin/${mission.branch}`)
  const shown = box.agencJson<MissionJson>(['mission', 'show', mission.id])
  expect(shown.changes).toMatchObject({ ahead: 1, unpushed: 0, dirty: false })

  expect(push(box, mission.id)).toEqual({
    id: mission.id,
    branch: mission.branch,
    commit,
    pushed: false,
    url: 'https://github.com/acme/app.git',
    pull_request_url: expect.stringContaining('/pull/new/'),
  })
  expect(box.agenc(['mission', 'push', mission.id]).stderr).toContain('Already up to date')
  // What is pushed exists elsewhere, so nothing is lost with the mission.
  expect(box.agenc(['mission', 'rm', mission.id, '--yes']).exitCode).toBe(0)
})

test('a rewritten branch is refused until --force-with-lease, which never overwrites the work of others', async () => {
  const { box, mission } = await onGitHub()
  mission.commit({ 'a.txt': 'a\n' })
  push(box, 'one')
  mission.git('commit', '--quiet', '--amend', '--message', 'rewritten')
  const refused = box.agenc(['mission', 'push', 'one'])
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
  expect(refused.stderr).toMatch(/did not take agenc\/one: .*(non-fast-forward|fetch first)/)
  expect(refused.stderr).toContain('--force-with-lease')
  const rewritten = mission.git('rev-parse', 'HEAD')
  expect(push(box, 'one', '--force-with-lease')).toMatchObject({ commit: rewritten, pushed: true })

  box.bench.git('.', 'clone', '--quiet', '--branch', 'agenc/one', 'server/acme/app.git', 'colleague')
  box.bench.commit('colleague', { 'theirs.txt': 'x' })
  box.bench.git('colleague', 'push', '--quiet', 'origin', 'agenc/one')
  const theirs = server(box, 'rev-parse', 'agenc/one')
  // Even if the library has seen it: the mission has not.
  box.agencJson(['repo', 'update', 'acme/app'])
  mission.git('commit', '--quiet', '--amend', '--message', 'again')
  const stale = box.agenc(['mission', 'push', 'one', '--force-with-lease'])
  expect(stale).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('nothing was overwritten') })
  expect(server(box, 'rev-parse', 'agenc/one')).toBe(theirs)
  expect(push(box, 'one', '--as', 'other/name')).toMatchObject({ branch: 'other/name', pushed: true })
})

test("a hook that declines is quoted, and the server's own address of a pull request is preferred", async () => {
  const { box, repo, mission } = await onGitHub()
  mission.commit({ 'a.txt': 'a\n' })
  hook(box, 'printf "commits need a ticket\\n\\033[31mred https://me:hunter2@host/x\\n" >&2; exit 1')
  const refused = box.agenc(['mission', 'push', 'one'])
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
  expect(refused.stderr).toMatch(
    /did not take agenc\/one: pre-receive hook declined\n {2}remote: commits need a ticket\n/,
  )
  expect(refused.stderr).not.toMatch(/\u001b|hunter2/)
  expect(() => box.library(repo, 'rev-parse', '--verify', '--quiet', 'refs/heads/agenc/one')).toThrow()
  expect(() => mission.git('rev-parse', '@{upstream}')).toThrow()

  hook(box, 'printf "View merge request:\\n  https://git.example/acme/app/-/merge_requests/7\\n" >&2')
  expect(push(box, 'one').pull_request_url).toBe('https://git.example/acme/app/-/merge_requests/7')
})

test('uncommitted work is refused by name, or committed with --commit', async () => {
  const { box, mission } = await onGitHub()
  mission.write({ 'ä b.txt': 'x\n' })
  const refused = box.agenc(['mission', 'push', 'one'])
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('ä b.txt') })
  expect(server(box, 'branch', '--list')).toBe('* main')
  push(box, 'one', '--commit', 'the work')
  expect(server(box, 'log', '-1', '--format=%s', 'agenc/one')).toBe('the work')
})

test('the base branch is pushed to only by its name, and bad names are refused', async () => {
  const { box, mission } = await onGitHub()
  mission.git('switch', '--quiet', 'main')
  const commit = mission.commit({ 'a.txt': 'a\n' })
  const refused = box.agenc(['mission', 'push', 'one'])
  expect(refused).toMatchObject({ exitCode: 64, stderr: expect.stringContaining('--as main') })
  for (const name of ['-x', 'a..b', 'refs/heads/x', '', 'a b', 'x:y', 'HEAD'])
    expect(box.agenc(['mission', 'push', 'one', `--as=${name}`])).toMatchObject({ exitCode: 64, stdout: '' })
  expect(push(box, 'one', '--as', 'main')).toMatchObject({ branch: 'main', commit })
  expect(server(box, 'rev-parse', 'main')).toBe(commit)
})

test('nothing of the mission runs: hooks, sshCommand, pushurl, credential helpers, insteadOf, gpg', async () => {
  const { box, mission } = await onGitHub()
  const commit = mission.commit({ 'a.txt': 'a\n' })
  const proof = join(box.root, 'proof')
  const evil = writeProgram(join(box.root, 'evil'), `touch ${proof}`)
  const elsewhere = join(box.root, 'elsewhere.git')
  box.bench.git('.', 'init', '--quiet', '--bare', elsewhere)
  for (const [key, value] of [
    ['core.sshCommand', evil],
    ['credential.helper', `!${evil}`],
    ['remote.origin.pushurl', elsewhere],
    ['remote.origin.receivepack', evil],
    [`url.${elsewhere}.insteadOf`, 'https://github.com/acme/app.git'],
    ['push.gpgSign', 'true'],
    ['gpg.program', evil],
    ['core.fsmonitor', evil],
  ])
    mission.git('config', key!, value!)
  for (const name of ['pre-push', 'reference-transaction', 'post-checkout']) {
    writeBelow(mission.directory, `.git/hooks/${name}`, `#!/bin/sh\ntouch ${proof}\n`)
    chmodSync(join(mission.directory, '.git/hooks', name), 0o755)
  }
  push(box, 'one')
  expect(server(box, 'rev-parse', 'agenc/one')).toBe(commit)
  expect(box.bench.git(elsewhere.slice(box.root.length + 1), 'branch', '--list')).toBe('')
  expect(existsSync(proof)).toBe(false)
})

test("a link in place of the mission's settings is not followed", async () => {
  const { box, mission } = await onGitHub()
  mission.commit({ 'a.txt': 'a\n' })
  const config = join(mission.directory, '.git/config')
  const target = join(box.root, 'victim')
  renameSync(config, target)
  symlinkSync(target, config)
  const before = readFileSync(target, 'utf8')
  push(box, 'one')
  expect(readFileSync(target, 'utf8')).toBe(before)
})

test('over ssh; a server that never answers is given up, and Ctrl-C ends with 130', async () => {
  const box = workBox()
  Object.assign(box.env, fakeSsh(box.root))
  box.bench.repo('seed')
  box.bench.git('.', 'clone', '--quiet', '--bare', 'seed', 'server.git')
  const repo = box.add(`ssh://host${box.root}/server.git`)
  const mission = await box.mission(repo, 'one')
  const commit = mission.commit({ 'a.txt': 'a\n' })
  expect(push(box, 'one')).toMatchObject({ commit, pull_request_url: null })
  expect(box.bench.git('server.git', 'rev-parse', 'agenc/one')).toBe(commit)

  box.bench.userConfig(`[url "ssh://stalled/"]\n  pushInsteadOf = ssh://host/\n`)
  mission.commit({ 'b.txt': 'b\n' })
  const stalled = box.agenc(['mission', 'push', 'one', '--timeout', '1'])
  expect(stalled).toMatchObject({ exitCode: 124, stdout: '' })
  expect(stalled.stderr).toMatch(/did not answer within 1 s\n.*pushing again does no harm/)
  expect(box.agenc(['mission', 'push', 'one', '--timeout', 'soon']).exitCode).toBe(64)

  const terminal = openTerminal(process.execPath, [agencScript, 'mission', 'push', 'one'], {
    env: box.env,
    cwd: box.root,
    columns: 200,
  })
  const pidFile = join(box.root, 'fake-ssh.pid')
  rmSync(pidFile, { force: true })
  await waitFor('ssh to run', () => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '')
  terminal.type('\u0003')
  expect(await terminal.exited).toBe(130)
  expect(terminal.screen()).toContain('was interrupted')
  const pid = Number(readFileSync(pidFile, 'utf8'))
  await waitFor('ssh to end', () => !isAlive(pid))
})

test('a server that asks for a password: a clear reason without a terminal, and no password in a message', async () => {
  const { box, mission } = await onGitHub()
  mission.commit({ 'a.txt': 'a\n' })
  const http = createServer((_request, response) => {
    response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end()
  })
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void http.close())
  const address = `http://127.0.0.1:${(http.address() as AddressInfo).port}/`
  const settings = `[url "${box.root}/server/"]\n  insteadOf = https://github.com/\n`
  box.bench.userConfig(`${settings}[url "${address}"]\n  pushInsteadOf = https://github.com/\n`)
  const asked = await box.agencAsync(['mission', 'push', 'one'])
  expect(asked).toMatchObject({ exitCode: 1, stdout: '' })
  expect(asked.stderr).toContain('could not read Username')
  expect(asked.stderr).toContain('Run this command in a terminal, or set up a credential helper.')

  const terminal = openTerminal(process.execPath, [agencScript, 'mission', 'push', 'one'], {
    env: box.env,
    cwd: box.root,
    columns: 200,
  })
  await terminal.waitForText('Username for')
  terminal.type('me\r')
  await terminal.waitForText('Password for')
  terminal.type('hunter2\r')
  expect(await terminal.exited).toBe(1)
  expect(terminal.screen()).toContain('Authentication failed')
  expect(terminal.screen()).not.toContain('hunter2')
})

test('a repo on this machine: its own origin is pushed to, else the directory itself, but not what is checked out there', async () => {
  const box = workBox()
  box.bench.repo('src/app')
  const alone = box.add('./src/app')
  const one = await box.mission(alone, 'one')
  const commit = one.commit({ 'a.txt': 'a\n' })
  expect(push(box, 'one')).toMatchObject({ commit, pull_request_url: null })
  expect(box.bench.git('src/app', 'rev-parse', 'agenc/one')).toBe(commit)
  const refused = box.agenc(['mission', 'push', 'one', '--as', 'main'])
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('agenc mission pull') })

  box.bench.git('.', 'clone', '--quiet', '--bare', 'src/app', 'origin.git')
  box.bench.git('.', 'clone', '--quiet', 'origin.git', 'src/clone')
  const two = await box.mission(box.add('./src/clone'), 'two')
  const other = two.commit({ 'b.txt': 'b\n' })
  expect(push(box, 'two')).toMatchObject({ commit: other, url: join(box.root, 'origin.git') })
  expect(box.bench.git('origin.git', 'rev-parse', 'agenc/two')).toBe(other)
  expect(box.bench.git('src/clone', 'branch', '--list')).toBe('* main')
  expect(box.agencJson<MissionJson>(['mission', 'show', 'two']).changes).toMatchObject({ unpushed: 0 })
  expect(box.agenc(['mission', 'rm', 'two', '--yes']).exitCode).toBe(0)
})

test('a mission whose directory is gone is pushed from the library; one without a repo or a commit is refused', async () => {
  const { box, mission } = await onGitHub()
  const commit = mission.commit({ 'a.txt': 'a\n' })
  hook(box, 'exit 1')
  expect(box.agenc(['mission', 'push', 'one']).exitCode).toBe(1)
  rmSync(mission.directory, { recursive: true })
  hook(box, 'exit 0')
  expect(push(box, 'one')).toMatchObject({ commit, pushed: true })
  await storeMissions(box, [{ name: 'blank' }])
  expect(box.agenc(['mission', 'push', 'blank'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('has no repo'),
  })
})
