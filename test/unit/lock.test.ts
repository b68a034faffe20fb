import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import lockfile from 'proper-lockfile'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { withLock } from '../../src/io/lock.ts'
import { projectRoot, temporaryDirectory } from '../helpers/cli.ts'
import { waitFor } from '../helpers/wait.ts'

const staleMs = 10_000
const freshFile = () => join(temporaryDirectory(), 'file')

function makeStale(lock: string): void {
  const longAgo = new Date(Date.now() - 60_000)
  utimesSync(lock, longAgo, longAgo)
}

describe('together with Claude Code, which locks with proper-lockfile', () => {
  const asClaude = { realpath: false, stale: staleMs }

  test('agenc waits while Claude holds the lock', async () => {
    const path = freshFile()
    const release = await lockfile.lock(path, asClaude)
    const order: string[] = []
    const ours = withLock(path, () => order.push('agenc'))
    await new Promise(resolve => setImmediate(resolve))
    order.push('claude')
    await release()
    await ours
    expect(order).toEqual(['claude', 'agenc'])
  })

  test('Claude finds the file locked while agenc works, and free afterwards', async () => {
    const path = freshFile()
    const held = await withLock(path, () => lockfile.checkSync(path, asClaude))
    expect(held).toBe(true)
    expect(await lockfile.check(path, asClaude)).toBe(false)
  })
})

test('an abandoned lock is taken over, and nothing is left beside the file', async () => {
  const path = freshFile()
  mkdirSync(`${path}.lock`)
  makeStale(`${path}.lock`)
  expect(await withLock(path, () => 'done')).toBe('done')
  expect(readdirSync(join(path, '..'))).toEqual([])
})

test('a process that died during a takeover does not stop the next one', async () => {
  const path = freshFile()
  for (const directory of [`${path}.lock`, `${path}.lock.takeover`]) {
    mkdirSync(directory)
    makeStale(directory)
  }
  expect(await withLock(path, () => 'done')).toBe('done')
  expect(readdirSync(join(path, '..'))).toEqual([])
})

describe('a lock that is dated in the future', () => {
  /** Replaces the clocks and the timers. */
  function controlTime(): { passMs(ms: number): Promise<unknown> } {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    return { passMs: ms => vi.advanceTimersByTimeAsync(ms) }
  }

  function dateInTheFuture(path: string, hours: number): void {
    const later = new Date(Date.now() + hours * 3_600_000)
    utimesSync(path, later, later)
  }

  test('is taken over if it did not change for as long as any lock lasts', async () => {
    const path = freshFile()
    for (const directory of [`${path}.lock`, `${path}.lock.takeover`]) {
      mkdirSync(directory)
      dateInTheFuture(directory, 1)
    }
    const { passMs } = controlTime()
    const ours = withLock(path, () => 'done')
    await passMs(staleMs - 100)
    expect(existsSync(`${path}.lock`)).toBe(true)
    await passMs(1_000)
    expect(readdirSync(join(path, '..'))).toEqual([])
    expect(await ours).toBe('done')
  })

  test('is not taken over while its holder touches it', async () => {
    const path = freshFile()
    mkdirSync(`${path}.lock`)
    const { passMs } = controlTime()
    const ours = withLock(path, () => 'done')
    const refused = expect(ours).rejects.toThrow('another process holds the lock')
    for (const hours of [1, 2, 3]) {
      dateInTheFuture(`${path}.lock`, hours)
      await passMs(staleMs / 2)
    }
    await refused
    expect(existsSync(`${path}.lock`)).toBe(true)
  })
})

test('a clock that is set back does not make the wait for a lock longer', async () => {
  const path = freshFile()
  mkdirSync(`${path}.lock`)
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const ours = withLock(path, () => 'done')
  await vi.advanceTimersByTimeAsync(100)
  vi.setSystemTime(Date.now() - 3_600_000)
  await vi.advanceTimersByTimeAsync(staleMs + 1_000)
  expect(existsSync(`${path}.lock`)).toBe(false)
  expect(await ours).toBe('done')
})

test('an error in the work is passed on, and the lock is released', async () => {
  const path = freshFile()
  const failing = () => {
    throw new Error('inside')
  }
  await expect(withLock(path, failing)).rejects.toThrow('inside')
  expect(existsSync(`${path}.lock`)).toBe(false)
})

test('the error names the file if the lock cannot be created', async () => {
  const path = join(temporaryDirectory(), 'x'.repeat(253))
  writeFileSync(path, '')
  await expect(withLock(path, () => 0)).rejects.toThrow(`cannot lock ${path}`)
})

describe('between processes', () => {
  interface Holder {
    child: ChildProcess
    hasLock(): boolean
    leave(): void
    /** The exit code, or null if the process was killed. */
    exitCode: Promise<number | null>
  }

  async function holders(): Promise<{ path: string; start(name: string, length?: string): Holder }> {
    const path = freshFile()
    const script = join(temporaryDirectory(), 'lock-holder.cjs')
    const entryPoints = [join(projectRoot, 'test', 'helpers', 'lock-holder.ts')]
    await build({ entryPoints, outfile: script, bundle: true, platform: 'node', format: 'cjs' })
    const start = (name: string, length = 'long'): Holder => {
      const child = spawn(process.execPath, [script, path, name, length], { stdio: 'inherit' })
      onTestFinished(() => void child.kill('SIGKILL'))
      return {
        child,
        hasLock: () => existsSync(`${path}.${name}`),
        leave: () => writeFileSync(`${path}.${name}.leave`, ''),
        exitCode: once(child, 'exit').then(([code]) => code),
      }
    }
    return { path, start }
  }

  test('a lock is not taken over while its holder works, however long, but after the holder was killed', async () => {
    const { path, start } = await holders()
    const lock = `${path}.lock`
    const first = start('first')
    await waitFor('the first process to take the lock', first.hasLock)
    const { mtimeMs: takenMs, ino } = statSync(lock)
    const second = start('second')
    second.leave()
    await waitFor('the lock to be held for longer than it lasts without a touch', () => {
      const { mtimeMs } = statSync(lock)
      return mtimeMs - takenMs > staleMs + 2_000
    })
    expect(second.hasLock()).toBe(false)
    expect(statSync(lock).ino).toBe(ino)

    first.child.kill('SIGKILL')
    expect(await first.exitCode).toBe(null)
    rmSync(`${path}.held`)
    makeStale(lock)
    expect(await second.exitCode).toBe(0)
    expect(second.hasLock()).toBe(true)
    expect(existsSync(lock)).toBe(false)
  })

  test('of many processes that find an abandoned lock, one at a time takes it', async () => {
    const { path, start } = await holders()
    mkdirSync(`${path}.lock`)
    makeStale(`${path}.lock`)
    const all = Array.from({ length: 8 }, (_, index) => start(`holder-${index}`, 'short'))
    for (const holder of all) holder.leave()
    expect(await Promise.all(all.map(({ exitCode }) => exitCode))).toEqual(all.map(() => 0))
    expect(all.every(({ hasLock }) => hasLock())).toBe(true)
  })
})
