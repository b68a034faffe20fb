import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { longestEventBytes, reportingHook } from '../../src/claude/hook-scripts.ts'
import { MissionPaths } from '../../src/paths.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { sweepSpool } from '../../src/wrapper/event-spool.ts'
import { WakeupFifo, wakeUp } from '../../src/wrapper/wakeup-fifo.ts'
import { temporaryDirectory } from '../helpers/cli.ts'
import { waitFor } from '../helpers/wait.ts'

type SpoolPaths = Pick<MissionPaths, 'events' | 'wakeup'>

/** A spool in a directory whose name would break a hook that does not quote it. */
async function spool({ hasFifo = true } = {}): Promise<SpoolPaths & { wakeups: () => number }> {
  const { events, wakeup } = new MissionPaths(join(temporaryDirectory(), `it's "$HOME" & co`))
  const paths = { events, wakeup }
  mkdirSync(paths.events, { recursive: true })
  let wakeups = 0
  if (hasFifo) {
    const fifo = new WakeupFifo(systemRunner, wakeup)
    fifo.onWakeup = () => {
      wakeups += 1
    }
    fifo.listen()
    onTestFinished(() => fifo.close())
  }
  return { ...paths, wakeups: () => wakeups }
}

const shells = ['/bin/sh', '/bin/bash'].filter(existsSync)
const event = (fields: object) => `${JSON.stringify({ hook_event_name: 'Stop', ...fields })}\n`
const sweep = (paths: SpoolPaths) => sweepSpool(paths.events, Date.now())
const hook = (paths: SpoolPaths, input: string, shell = '/bin/sh') =>
  spawnSync(shell, ['-c', reportingHook(paths)], { input })

describe.each(shells)('a hook under %s', shell => {
  test('writes its whole event, prints nothing and wakes the wrapper up', async () => {
    const paths = await spool()
    const { status, stdout, stderr } = hook(paths, event({ n: 1 }), shell)
    expect([status, String(stdout), String(stderr)]).toEqual([0, '', ''])
    await waitFor('the wake-up', () => paths.wakeups() > 0)
    expect(sweep(paths).files.map(({ data }) => data)).toEqual([{ hook_event_name: 'Stop', n: 1 }])
  })

  test.each<[string, (paths: SpoolPaths) => SpoolPaths]>([
    ['no wrapper', paths => ({ ...paths, wakeup: `${paths.wakeup}-gone` })],
    ['no spool', paths => ({ ...paths, events: `${paths.events}-gone` })],
    ['a file in place of the spool', paths => ({ ...paths, events: join(paths.events, '..', 'file') })],
    ['a file in place of the FIFO', paths => ({ ...paths, wakeup: join(paths.events, '..', 'file') })],
  ])('exits with 0 and prints nothing if there is %s', async (_title, broken) => {
    const paths = await spool()
    writeFileSync(join(paths.events, '..', 'file'), '')
    const { status, stdout } = hook(broken(paths), event({}), shell)
    expect([status, String(stdout)]).toEqual([0, ''])
    expect(readdirSync(paths.events)).toEqual([])
  })

  test('does not hang on the FIFO of a killed wrapper', async () => {
    const paths = await spool({ hasFifo: false })
    spawnSync('mkfifo', [paths.wakeup])
    expect(hook(paths, event({ n: 1 }), shell).status).toBe(0)
    expect(sweep(paths).files).toHaveLength(1)
  })

  test('writes nothing if 4,000 events are waiting', async () => {
    const paths = await spool()
    for (let n = 0; n < 4_000; n++) writeFileSync(join(paths.events, `x${n}`), '')
    expect(hook(paths, event({}), shell).status).toBe(0)
    expect(readdirSync(paths.events)).toHaveLength(4_000)
  })
})

describe('reading the spool', () => {
  test('rejects files that are not JSON or too long', async () => {
    const paths = await spool()
    hook(paths, '{"broken"')
    hook(paths, 'not JSON at all}')
    hook(paths, '')
    hook(paths, event({ text: 'x'.repeat(longestEventBytes) }))
    hook(paths, event({ good: true }))
    const { files, rejected } = sweep(paths)
    expect(files.map(({ data }) => data)).toEqual([{ hook_event_name: 'Stop', good: true }])
    expect(rejected.map(({ reason }) => reason)).toEqual(['not JSON', 'not JSON', 'not JSON', 'too long'])
  })

  test('waits for a file that is still being written, but not forever', async () => {
    const paths = await spool()
    const slow = spawn('/bin/sh', ['-c', reportingHook(paths)], { stdio: ['pipe', 'ignore', 'ignore'] })
    slow.stdin.write('{"hook_event_name":"Stop",')
    await waitFor('the first half of the event', () => readdirSync(paths.events).length > 0)
    expect(sweep(paths)).toEqual({ files: [], rejected: [] })
    expect(sweepSpool(paths.events, Date.now() + 60_000).rejected).toHaveLength(1)
    slow.stdin.end('"n":1}\n')
    await waitFor('the wake-up', () => paths.wakeups() > 0)
    expect(sweep(paths).files).toHaveLength(1)
  })

  test('finds all of a thousand events from fifty processes, in order for each process', async () => {
    const paths = await spool()
    const producers = Array.from({ length: 50 }, (_, producer) => runHooks(paths, producer, 20))
    await Promise.all(producers)
    const { files, rejected } = sweep(paths)
    expect(rejected).toEqual([])
    expect(new Set(files.map(({ key }) => key)).size).toBe(1_000)
    const events = files.map(({ data }) => data as { producer: number; n: number })
    for (let producer = 0; producer < 50; producer++) {
      const own = events.filter(found => found.producer === producer).map(({ n }) => n)
      expect(own).toEqual(Array.from({ length: 20 }, (_, n) => n))
    }
  })
})

/** Runs hooks one after the other, as Claude does. */
function runHooks(paths: SpoolPaths, producer: number, count: number): Promise<void> {
  const script = `n=0; while [ $n -lt ${count} ]; do
    printf '{"hook_event_name":"Stop","producer":${producer},"n":%s,"text":"%s"}\\n' $n "$TEXT" | sh -c "$HOOK"
    n=$((n+1)); done`
  const env = { ...process.env, HOOK: reportingHook(paths), TEXT: 'x'.repeat(1_000 * (producer % 5)) }
  const child = spawn('/bin/sh', ['-c', script], { env, stdio: 'ignore' })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', code => (code === 0 ? resolve() : reject(new Error(`exit ${code}`))))
  })
}

test('waking up a wrapper that is gone creates no file and does not wait for a reader', async () => {
  const { wakeup } = await spool({ hasFifo: false })
  wakeUp(wakeup)
  expect(existsSync(wakeup)).toBe(false)
  spawnSync('mkfifo', [wakeup])
  wakeUp(wakeup)
  expect(statSync(wakeup).isFIFO()).toBe(true)
})
