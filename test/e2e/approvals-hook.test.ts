import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { askingHook, gatedHook } from '../../src/claude/hook-scripts.ts'
import { allowReply } from '../../src/claude/permission-reply.ts'
import { openReplyChannel } from '../../src/claude/reply-channel.ts'
import { systemProbe } from '../../src/system/process-identity.ts'
import { listTree } from '../../src/system/process-tree.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { WakeupFifo } from '../../src/system/wakeup-fifo.ts'
import { temporaryDirectory } from '../helpers/cli.ts'
import { isAlive } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'

const event = `${JSON.stringify({ hook_event_name: 'PermissionRequest', tool_name: 'Bash' })}\n`
const otherwise = '{"otherwise":"it\'s so"}'
const shortPatience = { seconds: 1, moreSeconds: 1 }
const shells = ['sh', 'bash', 'dash', 'busybox'].filter(
  shell => spawnSync('sh', ['-c', `command -v ${shell}`]).status === 0,
)

interface Hook {
  child: ChildProcess
  pid: number
  output(): string
  /** Its exit code. */
  ended: Promise<number | null>
}

function places() {
  const run = join(temporaryDirectory(), "it's a run")
  const target = { events: join(run, 'ev'), asks: join(run, 'ask'), wakeup: join(run, 'bell') }
  for (const directory of [run, target.events, target.asks]) mkdirSync(directory)
  return target
}

/** The same with a FIFO that is listened to. */
function listeningPlaces() {
  const target = places()
  let wakeups = 0
  const fifo = new WakeupFifo(systemRunner, target.wakeup)
  fifo.onWakeup = () => {
    wakeups++
  }
  fifo.listen()
  onTestFinished(() => fifo.close())
  return { target, wakeups: () => wakeups }
}

/** Opens the channel to the hook that waits at this path. */
function channelAt(path: string) {
  return openReplyChannel(dirname(path), basename(path), 'asks')
}

function startHook(shell: string, command: string, env = process.env): Hook {
  const args = shell === 'busybox' ? ['sh', '-c', command] : ['-c', command]
  const child = spawn(shell, args, { stdio: ['pipe', 'pipe', 'inherit'], env })
  let text = ''
  child.stdout.on('data', data => {
    text += data
  })
  // A hook without a wrapper does not read its stdin.
  child.stdin.on('error', () => {})
  child.stdin.end(event)
  const ended = new Promise<number | null>(resolve => child.on('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, pid: child.pid!, output: () => text, ended }
}

/** The processes that a hook has started. */
function helpersOf({ pid }: Hook): number[] {
  const probe = systemProbe(systemRunner)
  return listTree(systemRunner, probe, pid)
    .slice(1)
    .map(child => child.pid)
}

describe.each(shells)('the asking hook in %s', shell => {
  async function listeningHook(patience = shortPatience) {
    const { target, wakeups } = listeningPlaces()
    const command = askingHook({ ...target, wrapperPid: process.pid }, otherwise, patience)
    const hook = startHook(shell, command)
    await waitFor('the wake-up', () => wakeups() > 0)
    expect(readFileSync(join(target.events, String(hook.pid)), 'utf8')).toBe(event)
    const fifo = join(target.asks, String(hook.pid))
    return { hook, fifo, asks: target.asks }
  }

  async function waitingHook() {
    const { hook, fifo, asks } = await listeningHook({ seconds: 30, moreSeconds: 30 })
    const channel = channelAt(fifo)!
    expect(readdirSync(asks)).toEqual([])
    return { hook, channel }
  }

  test('gives the answer, at once or later', async () => {
    const reply = allowReply({ mode: 'acceptEdits' })
    const quick = await waitingHook()
    expect(quick.channel.allow({ mode: 'acceptEdits' })).toBe(true)
    expect(await quick.hook.ended).toBe(0)
    expect(JSON.parse(quick.hook.output())).toEqual(reply)
    const slow = await waitingHook()
    slow.channel.keepWaiting()
    slow.channel.allow({ mode: 'acceptEdits' })
    expect(await slow.hook.ended).toBe(0)
    expect(JSON.parse(slow.hook.output())).toEqual(reply)
  })

  test('gives an answer that is longer than a pipe, in any script', async () => {
    const input = { answers: { 'Ω 漢字 🙂 \u0081\u0088 "it\'s" \\ \n': 'x'.repeat(200_000) } }
    const { hook, channel } = await waitingHook()
    channel.keepWaiting()
    expect(channel.allow({ input })).toBe(true)
    expect(await hook.ended).toBe(0)
    expect(JSON.parse(hook.output())).toEqual(JSON.parse(JSON.stringify(allowReply({ input }))))
  })

  test('prints nothing when it is released, at once or later', async () => {
    for (const isWaiting of [false, true]) {
      const { hook, channel } = await waitingHook()
      if (isWaiting) channel.keepWaiting()
      channel.release()
      expect(await hook.ended).toBe(0)
      expect(hook.output()).toBe('')
    }
  })

  test('prints its own words if the wrapper cannot decide', async () => {
    const { hook, channel } = await waitingHook()
    channel.giveUp()
    expect(await hook.ended).toBe(0)
    expect(hook.output()).toBe(`${otherwise}\n`)
  })

  test('ends with Claude’s signal, and an answer then comes too late', async () => {
    const { hook, channel } = await waitingHook()
    await waitFor('its patience', () => helpersOf(hook).length === 2)
    channel.keepWaiting()
    hook.child.kill('SIGTERM')
    expect(await hook.ended).toBe(0)
    expect(channel.allow()).toBe(false)
  })

  test('gives up a wrapper that hangs, whose answer then comes too late', async () => {
    const { hook, fifo, asks } = await listeningHook()
    expect(await hook.ended).toBe(0)
    expect(hook.output()).toBe(`${otherwise}\n`)
    expect(readdirSync(asks)).toEqual([])
    expect(channelAt(fifo)).toBeNull()
  })

  test('gives up a wrapper that hangs after it has opened the FIFO', async () => {
    const { hook, fifo } = await listeningHook()
    const channel = channelAt(fifo)!
    expect(await hook.ended).toBe(0)
    expect(hook.output()).toBe(`${otherwise}\n`)
    expect(channel.allow()).toBe(false)
  })

  test('told to wait, it waits without a time limit', async () => {
    const { hook, channel } = await waitingHook()
    const helpers = await waitFor('the watch', () => helpersOf(hook).length === 2 && helpersOf(hook))
    channel.keepWaiting()
    await waitFor('the end of the watch', () => !helpers.some(isAlive))
    expect(channel.allow()).toBe(true)
    expect(await hook.ended).toBe(0)
    expect(JSON.parse(hook.output())).toEqual(allowReply())
  })

  test('leaves no process behind, whether it was answered or ended', async () => {
    for (const isAnswered of [true, false]) {
      const { hook, channel } = await waitingHook()
      const helpers = await waitFor('the watch', () => helpersOf(hook).length === 2 && helpersOf(hook))
      if (isAnswered) channel.allow()
      else hook.child.kill('SIGTERM')
      await hook.ended
      await waitFor('their end', () => !helpers.some(isAlive))
    }
  })

  test('does not wait without a wrapper, or after it was killed', async () => {
    const { target } = listeningPlaces()
    const dead = spawn('true')
    await new Promise(resolve => dead.on('close', resolve))
    const withoutFifo = startHook(shell, askingHook({ ...places(), wrapperPid: process.pid }))
    expect(await withoutFifo.ended).toBe(0)
    expect(withoutFifo.output()).toBe('')
    const killed = startHook(shell, askingHook({ ...target, wrapperPid: dead.pid! }, otherwise))
    expect(await killed.ended).toBe(0)
    expect(killed.output()).toBe(`${otherwise}\n`)
  })

  test('still reports its event if no FIFO can be made', async () => {
    const { target, wakeups } = listeningPlaces()
    const asks = join(target.asks, 'nowhere')
    const hook = startHook(shell, askingHook({ ...target, asks, wrapperPid: process.pid }))
    expect(await hook.ended).toBe(0)
    await waitFor('the wake-up', () => wakeups() > 0)
    expect(existsSync(join(target.events, String(hook.pid)))).toBe(true)
  })
})

test('there is no channel where no hook waits', () => {
  const { asks } = places()
  expect(channelAt(join(asks, '1'))).toBeNull()
  const fifo = join(asks, '2')
  spawnSync('mkfifo', [fifo])
  expect(channelAt(fifo)).toBeNull()
  const file = join(asks, '3')
  writeFileSync(file, '')
  expect(channelAt(file)).toBeNull()
})

describe.each(shells)('the hook of a prompt in %s', shell => {
  function promptHook(wrapperPid: number) {
    const { target, wakeups } = listeningPlaces()
    const gate = join(dirname(target.events), 'gate')
    return {
      asks: target.asks,
      events: target.events,
      wakeups,
      close: () => writeFileSync(gate, ''),
      start: () => startHook(shell, gatedHook({ ...target, wrapperPid }, gate)),
    }
  }

  test('only reports while nothing is typed', async () => {
    const { start, events, wakeups } = promptHook(process.pid)
    const hook = start()
    expect(await hook.ended).toBe(0)
    expect(hook.output()).toBe('')
    expect(readFileSync(join(events, String(hook.pid)), 'utf8')).toBe(event)
    await waitFor('the wake-up', () => wakeups() === 1)
  })

  test('blocks the prompt if the wrapper says so, and lets it pass if the wrapper is gone', async () => {
    const { start, close, asks, wakeups } = promptHook(process.pid)
    close()
    const hook = start()
    await waitFor('the wake-up', () => wakeups() === 1)
    expect(openReplyChannel(asks, String(hook.pid), 'prompt-taken')!.deny('not now')).toBe(true)
    expect(await hook.ended).toBe(0)
    expect(JSON.parse(hook.output())).toEqual({ decision: 'block', reason: 'not now' })
    const ended = spawnSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' })
    const orphan = promptHook(Number(ended.stdout))
    orphan.close()
    const passed = orphan.start()
    expect(await passed.ended).toBe(0)
    expect(passed.output()).toBe('')
  })
})
