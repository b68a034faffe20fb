import { spawn } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hasEnded, isStopped, parseProcStat, readProcStat } from '../../src/system/proc-stat.ts'
import { parsePsTable, programName, scanProcesses } from '../../src/system/process-table.ts'
import { type Runner, systemRunner } from '../../src/system/runner.ts'
import { temporaryDirectory } from '../helpers/cli.ts'

const stat = (comm: string, state: string, tty: number) =>
  `4711 (${comm}) ${state} 17 4700 4600 ${tty} 4500 4194304 1 0 0 0 0 0 0 0 20 0 1 0 998877 1 1`

test.each(['tmux: (x) y', '(a) b (c))', ''])('the name %j does not shift the fields', comm => {
  expect(parseProcStat(stat(comm, 'S', 0x8803))).toEqual({
    pid: 4711,
    comm,
    state: 'S',
    ppid: 17,
    group: 4700,
    session: 4600,
    tty: '/dev/pts/3',
    foregroundGroup: 4500,
    startTicks: '998877',
  })
})

test.each([
  ['no terminal', 0, null],
  ['a pseudo terminal', 0x8800, '/dev/pts/0'],
  ['one past 255', 0x100000 | 0x8805, '/dev/pts/261'],
  ['one of the old, second device range', 0x8905, '/dev/pts/261'],
  ['a console', 0x0402, '/dev/tty2'],
])('tty: %s', (_what, device, tty) => {
  expect(parseProcStat(stat('sh', 'S', device))?.tty).toBe(tty)
})

test.each([
  ['Z', true, false],
  ['X', true, false],
  ['T', false, true],
  ['S', false, false],
])('a process in state %s has ended: %s, is stopped: %s', (state, ended, stopped) => {
  const parsed = parseProcStat(stat('sh', state, 0))!
  expect([hasEnded(parsed), isStopped(parsed)]).toEqual([ended, stopped])
})

test('a process that ended while its file was read counts as none', () => {
  expect(parseProcStat('')).toBeNull()
})

test.runIf(process.platform === 'linux')('this process reads its own line', () => {
  expect(readProcStat('self')).toMatchObject({
    pid: process.pid,
    ppid: process.ppid,
    comm: expect.any(String),
  })
  expect(readProcStat(4_194_999)).toBeNull()
})

test.each([
  ['/usr/libexec/gnome-terminal-server', 'gnome-terminal-server'],
  ['/opt/zed/zed-editor (deleted)', 'zed-editor'],
  ['-zsh', 'zsh'],
  ['sshd: anna@pts/0', 'sshd'],
  ['sshd-session: anna [priv]', 'sshd-session'],
  ['/Applications/Visual Studio Code.app/Contents/MacOS/Electron', 'Electron'],
])('the program in %j is %s', (text, name) => {
  expect(programName(text)).toBe(name)
})

test.runIf(process.platform === 'linux')(
  'a long name is not cut, and a start time tells processes apart',
  () => {
    const program = join(temporaryDirectory(), 'an-editor-with-a-long-name')
    copyFileSync('/bin/sleep', program)
    const child = spawn(program, ['60'], { stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    const table = scanProcesses('linux', systemRunner)
    expect(table.get(child.pid!)).toMatchObject({ ppid: process.pid, name: 'an-editor-with-a-long-name' })
    expect(table.get(child.pid!)?.startTime).not.toBe(table.get(process.pid)?.startTime)
  },
)

const recordedPs = `
    1     0 Ss   ??       Sun Nov 16 01:00:00 2025 /sbin/launchd
  410     1 S    ??       Sun Nov 16 01:00:09 2025 /Applications/iTerm.app/Contents/MacOS/iTerm2
  733   410 Ss   ttys003  Sun Nov  2 11:12:13 2025 /usr/bin/login
  734   733 S    ttys003  Sun Nov  2 11:12:13 2025 -zsh
  790   734 Z    ttys003  Sun Nov  2 11:12:14 2025 (node)
  801   734 S+   ttys003  Sun Nov  2 11:12:15 2025 /Users/anna/My Tools/claude
`

test('macOS: one ps for all', () => {
  const table = parsePsTable(recordedPs)
  expect([...table.keys()]).toEqual([1, 410, 733, 734, 801])
  expect(table.get(801)).toEqual({
    pid: 801,
    ppid: 734,
    tty: '/dev/ttys003',
    startTime: 'Sun Nov 2 11:12:15 2025',
    name: 'claude',
  })
  expect(table.get(410)).toMatchObject({ tty: null, name: 'iTerm2' })
  expect(table.get(734)?.name).toBe('zsh')
})

test('macOS: a failing ps is an error, not an empty machine', () => {
  const exec = {
    capture: () => ({ exitCode: 1, signal: null, stdout: '', stderr: 'ps: no', missing: false }),
  } as unknown as Runner
  expect(() => scanProcesses('darwin', exec)).toThrow('cannot list the processes')
})
