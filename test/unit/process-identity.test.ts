import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isTaken, linuxProbe, psProbe, systemProbe } from '../../src/system/process-identity.ts'
import {
  descendants,
  endTree,
  linuxDescendants,
  listTree,
  waitUntilGone,
} from '../../src/system/process-tree.ts'
import { type Result, type Runner, systemRunner } from '../../src/system/runner.ts'
import { temporaryDirectory } from '../helpers/cli.ts'
import { needLinux } from '../helpers/needs.ts'
import { waitFor } from '../helpers/wait.ts'

/** A ps that gives answers recorded on a Mac. */
function recordedPs(answer: Partial<Result>): { exec: Runner; asked: string[][] } {
  const asked: string[][] = []
  const capture: Runner['capture'] = (file, args) => {
    asked.push([file, ...args])
    return { exitCode: 0, signal: null, stdout: '', stderr: '', missing: false, ...answer }
  }
  return { exec: { ...systemRunner, capture }, asked }
}

const spawned = (script: string) => {
  const child = spawn('/bin/sh', ['-c', script], { stdio: 'ignore', detached: true })
  onTestFinished(() => {
    spawnSync('kill', ['-KILL', '--', `-${child.pid}`], { stdio: 'ignore' })
  })
  return child.pid!
}

describe('this system', () => {
  const probe = systemProbe(systemRunner)

  test('recognizes a living process and tells it from another one with the same pid', () => {
    const self = probe.identify(process.pid)!
    const other = { ...self, start: self.start.replace(/\d+$/, '1') }
    expect(probe.liveness([self, other])).toEqual(['alive', 'dead'])
  })

  test('reports dead processes, including zombies and those of another boot', async () => {
    const pid = spawned('exit 0')
    const known = { pid, start: probe.identify(process.pid)!.start }
    await waitFor('the process to end', () => probe.identify(pid) === null)
    expect(probe.liveness([known])).toEqual(['dead'])
    const rebooted = {
      pid: process.pid,
      start: `another:${probe.identify(process.pid)!.start.split(':').slice(1).join(':')}`,
    }
    expect(probe.liveness([rebooted])).toEqual(['dead'])
  })

  test('cannot see into another container', ctx => {
    needLinux(ctx)
    const self = probe.identify(process.pid)!
    const [boot, , ticks] = self.start.split(':')
    expect(probe.liveness([{ pid: self.pid, start: `${boot}:1:${ticks}` }])).toEqual(['unknown'])
  })

  test('reports whether a process is suspended', async () => {
    const pid = spawned('sleep 1000')
    expect(probe.isSuspended(pid)).toBe(false)
    process.kill(pid, 'SIGSTOP')
    await waitFor('the process to be suspended', () => probe.isSuspended(pid))
  })

  test('ends a whole tree, including suspended processes and those in other sessions', async () => {
    const pid = spawned('setsid sh -c "trap : TERM; while :; do sleep 1; done" & sleep 1000; :')
    const root = await waitFor(
      'the children to start',
      () => listTree(systemRunner, probe, pid).length > 2 && probe.identify(pid),
    )
    const tree = listTree(systemRunner, probe, pid)
    process.kill(pid, 'SIGSTOP')
    expect(await endTree(systemRunner, probe, root, 'SIGTERM', 100)).toBe(true)
    expect(await waitUntilGone(probe, tree, 1_000)).toBe(true)
    expect(await endTree(systemRunner, probe, root, 'SIGTERM', 100)).toBe(true)
  })

  test('does not report a process as ended if it cannot see it', async () => {
    const unseen = { ...probe, liveness: () => ['unknown' as const] }
    const { pid, start } = probe.identify(spawned('sleep 1000'))!
    expect(await endTree(systemRunner, unseen, { pid, start }, 'SIGTERM', 100)).toBe(false)
    expect(probe.liveness([{ pid, start }])).toEqual(['alive'])
  })
})

test('descendants are listed with children before grandchildren', () => {
  const table = new Map(
    [
      [1, 0],
      [2, 1],
      [3, 2],
      [4, 1],
      [5, 9],
    ].map(([pid, ppid]) => [pid!, { pid: pid!, ppid: ppid!, startTime: '', tty: null, name: '' }]),
  )
  expect(descendants(table, 1)).toEqual([2, 4, 3])
})

describe('children by thread', () => {
  /** A /proc with these threads, as `pid/thread`. Null stands for a thread that has just ended. */
  const procWith = (threads: Record<string, string | null>) => {
    const proc = temporaryDirectory()
    for (const [path, children] of Object.entries(threads)) {
      const directory = join(proc, path.replace('/', '/task/'))
      mkdirSync(directory, { recursive: true })
      if (children !== null) writeFileSync(join(directory, 'children'), children)
    }
    return proc
  }

  test('a thread that ends during the scan does not hide the children of other threads', () => {
    const proc = procWith({ '10/10': '20 21 ', '10/11': null, '20/20': '30 ', '20/22': null, '30/30': '' })
    expect(linuxDescendants(10, proc)).toEqual([20, 21, 30])
  })

  test('a kernel that does not list children is not taken for a process without children', () => {
    expect(linuxDescendants(10, procWith({ '10/10': null, '10/11': null }))).toBeNull()
    expect(linuxDescendants(10, procWith({ '10/10': '' }))).toEqual([])
  })
})

describe('a /proc that cannot be read', () => {
  const boot = 'a-boot'
  /** A /proc of this boot, in which process 10 is alive, process 11 cannot be read, and no other process exists. */
  const procOf = ({ hasBootId = true } = {}) => {
    const proc = temporaryDirectory()
    mkdirSync(join(proc, 'sys', 'kernel', 'random'), { recursive: true })
    if (hasBootId) writeFileSync(join(proc, 'sys', 'kernel', 'random', 'boot_id'), `${boot}\n`)
    mkdirSync(join(proc, 'self', 'ns'), { recursive: true })
    symlinkSync('pid:[1]', join(proc, 'self', 'ns', 'pid'))
    mkdirSync(join(proc, '10'))
    writeFileSync(join(proc, '10', 'stat'), `10 (sh) S 1 10 10 0 -1 0 ${'0 '.repeat(12)}77 0 0\n`)
    // Reading a directory fails for every user, unlike a file without permissions.
    mkdirSync(join(proc, '11', 'stat'), { recursive: true })
    return proc
  }
  const known = (pid: number) => ({ pid, start: `${boot}:1:77` })

  test('a process is dead only if /proc says that it does not exist', () => {
    const probe = linuxProbe(procOf())
    expect(probe.identify(10)).toEqual(known(10))
    expect(probe.liveness([10, 11, 12].map(known))).toEqual(['alive', 'unreadable', 'dead'])
  })

  test('a boot that cannot be read is not taken for another boot', () => {
    expect(linuxProbe(procOf({ hasBootId: false })).liveness([known(10)])).toEqual(['unreadable'])
    expect(linuxProbe(temporaryDirectory()).liveness([known(10)])).toEqual(['unreadable'])
  })

  test('a process that was identified without its boot is not taken for dead', () => {
    expect(linuxProbe(procOf()).liveness([{ pid: 10, start: ':1:77' }])).toEqual(['unknown'])
  })
})

test('whether a pid is in use', () => {
  expect([process.pid, 1].map(isTaken)).toEqual([true, true])
  expect([0, -1, Number.NaN, 4_194_999].map(isTaken)).toEqual([false, false, false, false])
})

describe('macOS', () => {
  const monday = 'Mon Mar  4 10:00:00 2030'
  const self = { pid: process.pid, start: 'Mon Mar 4 10:00:00 2030' }

  test('ps runs once for any number of processes', () => {
    const { exec, asked } = recordedPs({ stdout: `${process.pid} S+   ${monday}\n    1 Ss   ${monday}\n` })
    expect(psProbe(exec).liveness([self, { ...self, pid: 1, start: 'another' }])).toEqual(['alive', 'dead'])
    expect(asked).toEqual([['ps', '-o', 'pid=,stat=,lstart=', '-p', `${process.pid},1`]])
  })
  test('ps does not run for pids that are not in use', () => {
    const { exec, asked } = recordedPs({})
    expect(psProbe(exec).liveness([{ ...self, pid: 4_194_999 }])).toEqual(['dead'])
    expect(asked).toEqual([])
  })
  test('a zombie is dead, and exit 1 without a message means that no process exists', () => {
    expect(psProbe(recordedPs({ stdout: `${process.pid} Z+ ${monday}\n` }).exec).liveness([self])).toEqual([
      'dead',
    ])
    expect(psProbe(recordedPs({ exitCode: 1 }).exec).liveness([self])).toEqual(['dead'])
  })
  test('if ps fails, nothing is concluded', () => {
    const { exec } = recordedPs({ exitCode: 1, stderr: 'ps: illegal option' })
    expect(psProbe(exec).liveness([self])).toEqual(['unreadable'])
    expect(psProbe(exec).identify(process.pid)).toBeNull()
  })
  test('a state that begins with T means suspended', () => {
    expect(psProbe(recordedPs({ stdout: 'T+\n' }).exec).isSuspended(1)).toBe(true)
    expect(psProbe(recordedPs({ stdout: 'S+\n' }).exec).isSuspended(1)).toBe(false)
  })
})
