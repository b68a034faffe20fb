import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hookCommand, longestEventBytes } from '../../src/claude/hook-command.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { type SpoolPaths, spoolPaths, sweepSpool } from '../../src/wrapper/spool.ts'
import { Bell, ringBell } from '../../src/wrapper/wakeup-fifo.ts'
import { temporaryDirectory } from '../helpers/cli.ts'
import { waitFor } from '../helpers/wait.ts'

/** A spool as a wrapper has it, in a directory whose name a careless hook would trip over. */
async function spool({ hasBell = true } = {}): Promise<SpoolPaths & { rings: () => number }> {
  const paths = spoolPaths(join(temporaryDirectory(), `it's "$HOME" & co`))
  mkdirSync(paths.events, { recursive: true })
  let rings = 0
  if (hasBell) {
    const bell = new Bell(systemRunner, paths.bell, () => {
      rings += 1
    })
    bell.listen()
    onTestFinished(() => bell.close())
  }
  return { ...paths, rings: () => rings }
}

const shells = ['/bin/sh', '/bin/bash'].filter(existsSync)
const event = (fields: object) => `${JSON.stringify({ hook_event_name: 'Stop', ...fields })}\n`
const sweep = (paths: SpoolPaths) => sweepSpool(paths.events, Date.now())
const hook = (paths: SpoolPaths, input: string, shell = '/bin/sh') =>
  spawnSync(shell, ['-c', hookCommand(paths)], { input })

describe.each(shells)('a hook under %s', shell => {
  test('leaves its event whole, says nothing and rings', async () => {
    const paths = await spool()
    const { status, stdout, stderr } = hook(paths, event({ n: 1 }), shell)
    expect([status, String(stdout), String(stderr)]).toEqual([0, '', ''])
    await waitFor('the bell', () => paths.rings() > 0)
    expect(sweep(paths).files.map(({ text }) => text)).toEqual([event({ n: 1 })])
  })

  test.each<[string, (paths: SpoolPaths) => SpoolPaths]>([
    ['no wrapper', paths => ({ ...paths, bell: `${paths.bell}-gone` })],
    ['no spool', paths => ({ ...paths, events: `${paths.events}-gone` })],
    ['a spool that is a file', paths => ({ ...paths, events: join(paths.events, '..', 'file') })],
    ['a bell that is a file', paths => ({ ...paths, bell: join(paths.events, '..', 'file') })],
  ])('ends with 0 and without a word where there is %s', async (_title, broken) => {
    const paths = await spool()
    writeFileSync(join(paths.events, '..', 'file'), '')
    const { status, stdout } = hook(broken(paths), event({}), shell)
    expect([status, String(stdout)]).toEqual([0, ''])
    expect(readdirSync(paths.events)).toEqual([])
  })

  test('does not hang where the wrapper was killed and its bell is left', async () => {
    const paths = await spool({ hasBell: false })
    spawnSync('mkfifo', [paths.bell])
    expect(hook(paths, event({ n: 1 }), shell).status).toBe(0)
    expect(sweep(paths).files).toHaveLength(1)
  })

  test('keeps no more than a wrapper could want', async () => {
    const paths = await spool()
    for (let n = 0; n < 4_000; n++) writeFileSync(join(paths.events, `x${n}`), '')
    expect(hook(paths, event({}), shell).status).toBe(0)
    expect(readdirSync(paths.events)).toHaveLength(4_000)
  })
})

describe('sweeping', () => {
  test('what is no event is named and not taken, and neither is what is too long', async () => {
    const paths = await spool()
    hook(paths, '{"broken"')
    hook(paths, 'not JSON at all}')
    hook(paths, '')
    hook(paths, event({ text: 'x'.repeat(longestEventBytes) }))
    hook(paths, event({ good: true }))
    const { files, rejected } = sweep(paths)
    expect(files.map(({ text }) => text)).toEqual([event({ good: true })])
    expect(rejected.map(({ reason }) => reason)).toEqual(['not JSON', 'not JSON', 'not JSON', 'too long'])
  })

  test('what is still being written waits, but not for ever', async () => {
    const paths = await spool()
    const slow = spawn('/bin/sh', ['-c', hookCommand(paths)], { stdio: ['pipe', 'ignore', 'ignore'] })
    slow.stdin.write('{"hook_event_name":"Stop",')
    await waitFor('half an event', () => readdirSync(paths.events).length > 0)
    expect(sweep(paths)).toEqual({ files: [], rejected: [] })
    expect(sweepSpool(paths.events, Date.now() + 60_000).rejected).toHaveLength(1)
    slow.stdin.end('"n":1}\n')
    await waitFor('the bell', () => paths.rings() > 0)
    expect(sweep(paths).files).toHaveLength(1)
  })

  test('a thousand events of fifty producers are all there, each producer’s in order', async () => {
    const paths = await spool()
    const producers = Array.from({ length: 50 }, (_, producer) => burst(paths, producer, 20))
    await Promise.all(producers)
    const { files, rejected } = sweep(paths)
    expect(rejected).toEqual([])
    expect(new Set(files.map(({ key }) => key)).size).toBe(1_000)
    const events = files.map(({ text }) => JSON.parse(text) as { producer: number; n: number })
    for (let producer = 0; producer < 50; producer++) {
      const own = events.filter(found => found.producer === producer).map(({ n }) => n)
      expect(own).toEqual(Array.from({ length: 20 }, (_, n) => n))
    }
  })
})

/** One hook after the other, as one Claude runs them. */
function burst(paths: SpoolPaths, producer: number, count: number): Promise<void> {
  const script = `n=0; while [ $n -lt ${count} ]; do
    printf '{"hook_event_name":"Stop","producer":${producer},"n":%s,"text":"%s"}\\n' $n "$TEXT" | sh -c "$HOOK"
    n=$((n+1)); done`
  const env = { ...process.env, HOOK: hookCommand(paths), TEXT: 'x'.repeat(1_000 * (producer % 5)) }
  const child = spawn('/bin/sh', ['-c', script], { env, stdio: 'ignore' })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', code => (code === 0 ? resolve() : reject(new Error(`exit ${code}`))))
  })
}

test('ringing where nobody listens is nothing', async () => {
  const paths = await spool({ hasBell: false })
  ringBell(paths.bell)
  spawnSync('mkfifo', [paths.bell])
  ringBell(paths.bell)
  expect(readdirSync(paths.events)).toEqual([])
})
