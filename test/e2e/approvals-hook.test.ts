import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { askingHookCommand } from '../../src/claude/asking-hook.ts'
import { checkingHookCommand } from '../../src/claude/checking-hook.ts'
import { AskChannel } from '../../src/claude/hook-channel.ts'
import { allowReply } from '../../src/claude/permission-reply.ts'
import { systemProbe } from '../../src/system/process-identity.ts'
import { listTree } from '../../src/system/process-tree.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { Bell } from '../../src/wrapper/wakeup-fifo.ts'
import { temporaryDirectory } from '../helpers/cli.ts'
import { pathWithout } from '../helpers/path-without.ts'
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
  const target = { events: join(run, 'ev'), asks: join(run, 'ask'), bell: join(run, 'bell') }
  for (const directory of [run, target.events, target.asks]) mkdirSync(directory)
  return target
}

/** A place with a bell, which counts its rings. */
function listeningPlaces() {
  const target = places()
  let rings = 0
  const bell = new Bell(systemRunner, target.bell, () => {
    rings++
  })
  bell.listen()
  onTestFinished(() => bell.close())
  return { target, rings: () => rings }
}

function startHook(shell: string, command: string, env = process.env): Hook {
  const args = shell === 'busybox' ? ['sh', '-c', command] : ['-c', command]
  const child = spawn(shell, args, { stdio: ['pipe', 'pipe', 'inherit'], env })
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

/** Everything that a hook has started. */
function helpersOf({ pid }: Hook): number[] {
  const probe = systemProbe(systemRunner)
  return listTree(systemRunner, probe, pid)
    .slice(1)
    .map(child => child.pid)
}

describe.each(shells)('the asking hook in %s', shell => {
  async function rungHook(patience = shortPatience) {
    const { target, rings } = listeningPlaces()
    const command = askingHookCommand({ ...target, wrapperPid: process.pid }, otherwise, patience)
    const hook = startHook(shell, command)
    await waitFor('the ring', () => rings() > 0)
    expect(readFileSync(join(target.events, String(hook.pid)), 'utf8')).toBe(event)
    const fifo = join(target.asks, String(hook.pid))
    return { hook, fifo, asks: target.asks }
  }

  async function waitingHook() {
    const { hook, fifo, asks } = await rungHook({ seconds: 30, moreSeconds: 30 })
    const channel = AskChannel.open(fifo)!
    expect(readdirSync(asks)).toEqual([])
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
    await waitFor('its patience', () => helpersOf(hook).length === 2)
    channel.keepWaiting()
    hook.child.kill('SIGTERM')
    expect(await hook.ended).toBe(0)
    expect(channel.answer(allowReply())).toBe(false)
  })

  test('a wrapper that hangs: given up in time, and its answer comes too late', async () => {
    const { hook, fifo, asks } = await rungHook()
    expect(await hook.ended).toBe(0)
    expect(hook.output()).toBe(`${otherwise}\n`)
    expect(readdirSync(asks)).toEqual([])
    expect(AskChannel.open(fifo)).toBeNull()
  })

  test('a wrapper that hangs with the question in its hands: given up as well', async () => {
    const { hook, fifo } = await rungHook()
    const channel = AskChannel.open(fifo)!
    expect(await hook.ended).toBe(0)
    expect(hook.output()).toBe(`${otherwise}\n`)
    expect(channel.answer(allowReply())).toBe(false)
  })

  test('told to wait, it waits on, and nobody watches the time any more', async () => {
    const { hook, channel } = await waitingHook()
    const helpers = await waitFor('the watch', () => helpersOf(hook).length === 2 && helpersOf(hook))
    channel.keepWaiting()
    await waitFor('the end of the watch', () => !helpers.some(isAlive))
    expect(channel.answer(allowReply())).toBe(true)
    expect(await hook.ended).toBe(0)
    expect(JSON.parse(hook.output())).toEqual(allowReply())
  })

  test('answered, or ended by Claude: nothing of it is left', async () => {
    for (const isAnswered of [true, false]) {
      const { hook, channel } = await waitingHook()
      const helpers = await waitFor('the watch', () => helpersOf(hook).length === 2 && helpersOf(hook))
      if (isAnswered) channel.answer(allowReply())
      else hook.child.kill('SIGTERM')
      await hook.ended
      await waitFor('their end', () => !helpers.some(isAlive))
    }
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

describe.each(shells)('the hook before every tool in %s', shell => {
  const deniesNothing = '{ "approvals": { "mode": "all" } }\n'

  async function checkingPlaces(settings: string | null, undenied: string | null) {
    const { target, rings } = listeningPlaces()
    const own = join(target.events, '..')
    const whole = {
      ...target,
      wrapperPid: process.pid,
      settings: join(own, 'config.json'),
      undenied: join(own, 'undenied'),
    }
    if (settings !== null) writeFileSync(whole.settings, settings)
    if (undenied !== null) writeFileSync(whole.undenied, undenied)
    return { rings, target: whole }
  }

  test.each([
    ['settings known to deny nothing', deniesNothing, deniesNothing],
    ['no settings, where there were some that deny nothing', null, deniesNothing],
  ])('%s: it asks nobody and says nothing', async (_, settings, undenied) => {
    const { target, rings } = await checkingPlaces(settings, undenied)
    const hook = startHook(shell, checkingHookCommand(target, otherwise))
    expect(await hook.ended).toBe(0)
    expect(hook.output()).toBe('')
    expect([rings(), readdirSync(target.events)]).toEqual([0, []])
  })

  test.each([
    ['nothing is known', deniesNothing, null],
    ['nothing is known, and there are no settings', null, null],
    ['other settings of the same length', deniesNothing.replace('all', 'ask'), deniesNothing],
    ['settings with something added', `${deniesNothing} `, deniesNothing],
  ])('%s: the wrapper is asked', async (_, settings, undenied) => {
    const { target, rings } = await checkingPlaces(settings, undenied)
    const hook = startHook(shell, checkingHookCommand(target, otherwise))
    await waitFor('the ring', () => rings() > 0)
    AskChannel.open(join(target.asks, String(hook.pid)))!.release()
    expect(await hook.ended).toBe(0)
    expect(hook.output()).toBe('')
  })

  test('a system without cmp: the wrapper is asked', async () => {
    const { target, rings } = await checkingPlaces(deniesNothing, deniesNothing)
    const env = { ...process.env, PATH: pathWithout(process.env.PATH!, ['cmp']) }
    const hook = startHook(shell, checkingHookCommand(target, otherwise), env)
    // busybox has a cmp of its own.
    await Promise.race([waitFor('the ring', () => rings() > 0), hook.ended])
    AskChannel.open(join(target.asks, String(hook.pid)))?.release()
    expect(await hook.ended).toBe(0)
    expect(hook.output()).toBe('')
  })
})

test('nobody waits there: no channel', () => {
  const { asks } = places()
  expect(AskChannel.open(join(asks, '1'))).toBeNull()
  const fifo = join(asks, '2')
  spawnSync('mkfifo', [fifo])
  expect(AskChannel.open(fifo)).toBeNull()
  const file = join(asks, '3')
  writeFileSync(file, '')
  expect(AskChannel.open(file)).toBeNull()
})
