import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { askingHookCommand } from '../../src/claude/asking-hook.ts'
import { allowReply } from '../../src/claude/permission-reply.ts'
import { systemRunner } from '../../src/exec/runner.ts'
import { AskChannel } from '../../src/wrapper/ask-channel.ts'
import { listenToBell } from '../../src/wrapper/bell.ts'
import { temporaryDirectory } from '../helpers/cli.ts'
import { waitFor } from '../helpers/wait.ts'

const event = `${JSON.stringify({ hook_event_name: 'PermissionRequest', tool_name: 'Bash' })}\n`
const otherwise = '{"otherwise":"it\'s so"}'
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
  const target = { events: join(run, 'ev'), asks: join(run, 'ask'), bell: join(run, 'bell') }
  for (const directory of [run, target.events, target.asks]) mkdirSync(directory)
  return target
}

/** A place with a bell, which counts its rings. */
function listeningPlaces() {
  const target = places()
  let rings = 0
  onTestFinished(
    listenToBell(systemRunner, target.bell, () => {
      rings++
    }),
  )
  return { target, rings: () => rings }
}

function startHook(shell: string, command: string): Hook {
  const args = shell === 'busybox' ? ['sh', '-c', command] : ['-c', command]
  const child = spawn(shell, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', data => {
    text += data
  })
  // A hook that has nobody to tell does not read.
  child.stdin.on('error', () => {})
  child.stdin.end(event)
  const ended = new Promise<number | null>(resolve => child.on('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, pid: child.pid!, output: () => text, ended }
}

describe.each(shells)('the asking hook in %s', shell => {
  async function waitingHook() {
    const { target, rings } = listeningPlaces()
    const hook = startHook(shell, askingHookCommand({ ...target, wrapperPid: process.pid }, otherwise))
    await waitFor('the ring', () => rings() > 0)
    expect(readFileSync(join(target.events, String(hook.pid)), 'utf8')).toBe(event)
    const channel = AskChannel.open(join(target.asks, String(hook.pid)))!
    expect(readdirSync(target.asks)).toEqual([])
    return { hook, channel }
  }

  test('answered at once, and answered after a while', async () => {
    const reply = allowReply({ mode: 'acceptEdits' })
    const quick = await waitingHook()
    expect(quick.channel.answer(reply)).toBe(true)
    expect(await quick.hook.ended).toBe(0)
    expect(JSON.parse(quick.hook.output())).toEqual(reply)
    const slow = await waitingHook()
    slow.channel.keepWaiting()
    slow.channel.answer(reply)
    expect(await slow.hook.ended).toBe(0)
    expect(JSON.parse(slow.hook.output())).toEqual(reply)
  })

  test('released at once, and released after a while: nothing is said', async () => {
    for (const isWaiting of [false, true]) {
      const { hook, channel } = await waitingHook()
      if (isWaiting) channel.keepWaiting()
      channel.release()
      expect(await hook.ended).toBe(0)
      expect(hook.output()).toBe('')
    }
  })

  test('what cannot be decided is said in its own words', async () => {
    const { hook, channel } = await waitingHook()
    channel.giveUp()
    expect(await hook.ended).toBe(0)
    expect(hook.output()).toBe(`${otherwise}\n`)
  })

  test('ended by Claude while it waits: gone, and the answer comes too late', async () => {
    const { hook, channel } = await waitingHook()
    channel.keepWaiting()
    hook.child.kill('SIGTERM')
    expect(await hook.ended).toBe(0)
    expect(channel.answer(allowReply())).toBe(false)
  })

  test('no wrapper, or one that was killed: it does not wait', async () => {
    const { target } = listeningPlaces()
    const dead = spawn('true')
    await new Promise(resolve => dead.on('close', resolve))
    const withoutBell = startHook(shell, askingHookCommand({ ...places(), wrapperPid: process.pid }))
    expect(await withoutBell.ended).toBe(0)
    expect(withoutBell.output()).toBe('')
    const killed = startHook(shell, askingHookCommand({ ...target, wrapperPid: dead.pid! }, otherwise))
    expect(await killed.ended).toBe(0)
    expect(killed.output()).toBe(`${otherwise}\n`)
  })

  test('its place cannot be written to: the event is still told', async () => {
    const { target, rings } = listeningPlaces()
    const asks = join(target.asks, 'nowhere')
    const hook = startHook(shell, askingHookCommand({ ...target, asks, wrapperPid: process.pid }))
    expect(await hook.ended).toBe(0)
    await waitFor('the ring', () => rings() > 0)
    expect(existsSync(join(target.events, String(hook.pid)))).toBe(true)
  })
})

test('nobody waits there: no channel', () => {
  const { asks } = places()
  expect(AskChannel.open(join(asks, '1'))).toBeNull()
  const fifo = join(asks, '2')
  spawnSync('mkfifo', [fifo])
  expect(AskChannel.open(fifo)).toBeNull()
  closeSync(openSync(join(asks, '3'), 'w'))
})
