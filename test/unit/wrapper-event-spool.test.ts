import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { longestEventBytes, reportingHook } from '../../src/claude/hook-scripts.ts'
import { MissionPaths } from '../../src/paths.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { isListening, WakeupFifo, wakeUp } from '../../src/system/wakeup-fifo.ts'
import { newBell, ownBell } from '../../src/wrapper/control-message.ts'
import { listSpool, readInBatches } from '../../src/wrapper/event-spool.ts'
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
const batches = (paths: SpoolPaths, nowMs = Date.now()) => [...readInBatches(listSpool(paths.events), nowMs)]
/** All batches together. */
const sweep = (paths: SpoolPaths, nowMs?: number) => {
  const all = batches(paths, nowMs)
  return { files: all.flatMap(({ files }) => files), rejected: all.flatMap(({ rejected }) => rejected) }
}
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
    expect(sweep(paths, Date.now() + 60_000).rejected).toHaveLength(1)
    slow.stdin.end('"n":1}\n')
    await waitFor('the wake-up', () => paths.wakeups() > 0)
    expect(sweep(paths).files).toHaveLength(1)
  })

  test('takes a file whose hook wrote the rest and ended while the spool was read', async () => {
    const paths = await spool()
    const path = join(paths.events, String(process.pid))
    writeFileSync(path, '{"hook_event_name":"Stop",')
    const isAlive = vi.spyOn(process, 'kill').mockImplementation(() => {
      appendFileSync(path, '"n":1}\n')
      throw Object.assign(new Error('no such process'), { code: 'ESRCH' })
    })
    onTestFinished(() => isAlive.mockRestore())
    expect(sweep(paths)).toMatchObject({ files: [{ data: { n: 1 } }], rejected: [] })
  })

  test('holds no more than 1,000 events or 16 MB at a time, oldest first', async () => {
    const paths = await spool()
    // Files of the same clock tick are told apart by their names, which are numbers that no process has.
    for (let n = 0; n < 2_500; n++) writeFileSync(join(paths.events, String(4_194_305 + n)), event({ n }))
    expect(batches(paths).map(({ files }) => files.length)).toEqual([1_000, 1_000, 500])
    expect(sweep(paths).files.map(({ data }) => (data as { n: number }).n)).toEqual([...Array(2_500).keys()])
    const large = await spool()
    const first = join(large.events, 'x0')
    writeFileSync(first, event({ text: 'x'.repeat(longestEventBytes - 100) }))
    for (let n = 1; n < 40; n++) linkSync(first, join(large.events, `x${n}`))
    expect(batches(large).map(({ files }) => files.length)).toEqual(Array(10).fill(4))
  })

  test('opens nothing but regular files of this user', async () => {
    const paths = await spool()
    const at = (name: string) => join(paths.events, name)
    spawnSync('mkfifo', [at('fifo')])
    mkdirSync(at('directory'))
    symlinkSync('/dev/zero', at('device'))
    writeFileSync(join(paths.events, '..', 'elsewhere'), event({}))
    symlinkSync(join(paths.events, '..', 'elsewhere'), at('link'))
    symlinkSync('nowhere', at('dangling'))
    const foreign = ['dangling', 'device', 'directory', 'fifo', 'link']
    if (process.getuid!() === 0) {
      writeFileSync(at('other-user'), event({}))
      chownSync(at('other-user'), 1, 1)
      foreign.push('other-user')
    }
    hook(paths, event({ good: true }))
    const { files, rejected } = sweep(paths)
    expect(files.map(({ data }) => data)).toEqual([{ hook_event_name: 'Stop', good: true }])
    expect(rejected.map(({ path }) => basename(path)).sort()).toEqual(foreign)
    expect(new Set(rejected.map(({ reason }) => reason))).toEqual(
      new Set(['not a regular file of this user']),
    )
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

test('waking up writes neither to a regular file nor through a link', async () => {
  const paths = await spool()
  const at = (name: string) => join(paths.events, name)
  writeFileSync(at('file'), 'precious')
  symlinkSync(at('file'), at('link'))
  symlinkSync(paths.wakeup, at('link-to-fifo'))
  for (const name of ['file', 'link', 'link-to-fifo']) {
    wakeUp(at(name))
    expect(isListening(at(name))).toBe(false)
  }
  expect(readFileSync(at('file'), 'utf8')).toBe('precious')
  wakeUp(paths.wakeup)
  await waitFor('the only wake-up', () => paths.wakeups() === 1)
})

describe('the bell of an answer', () => {
  const runDirectory = () => {
    const run = join(temporaryDirectory(), 'run')
    mkdirSync(run)
    return run
  }

  test('is a FIFO in the run directory of the mission, however the sender spells that directory', () => {
    const run = runDirectory()
    const bell = newBell(run)
    expect(ownBell(run, bell)).toBe(bell)
    spawnSync('mkfifo', [bell])
    expect(ownBell(run, bell)).toBe(bell)
    symlinkSync(run, `${run}-link`)
    expect(ownBell(run, join(`${run}-link`, basename(bell)))).toBe(bell)
  })

  test.each<[string, (run: string) => string]>([
    ['has another name', run => join(run, 'bell')],
    ['has no UUID', run => join(run, 'answered-x')],
    ['is in another directory', run => newBell(join(run, '..'))],
    ['is in a directory below', run => newBell(join(run, 'ev'))],
    ['is relative', run => basename(newBell(run))],
    ['is empty', () => ''],
    ['contains a zero byte', run => `${newBell(run)}\0`],
  ])('is refused if it %s', (_title, bell) => {
    const run = runDirectory()
    expect(ownBell(run, bell(run))).toBe(null)
  })

  test.each<[string, (bell: string) => void]>([
    ['a regular file', bell => writeFileSync(bell, 'precious')],
    ['a link', bell => symlinkSync('/dev/null', bell)],
    ['a link to a FIFO', bell => symlinkSync(`${bell}-fifo`, bell)],
    ['a directory', bell => mkdirSync(bell)],
  ])('is refused if it is %s', (_title, make) => {
    const run = runDirectory()
    const bell = newBell(run)
    spawnSync('mkfifo', [`${bell}-fifo`])
    make(bell)
    expect(ownBell(run, bell)).toBe(null)
  })
})
