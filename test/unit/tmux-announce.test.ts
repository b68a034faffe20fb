import { closeSync, constants, existsSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import pty from '@lydell/node-pty'
import { expect, onTestFinished, test } from 'vitest'
import { ringTerminal } from '../../src/tmux/announce.ts'
import { temporaryDirectory } from '../helpers/cli.ts'
import { waitFor } from '../helpers/wait.ts'

/** A terminal and the text that has arrived in it. */
function terminal() {
  const child = pty.spawn('/bin/sh', ['-c', 'tty; exec cat'], { encoding: 'latin1' })
  onTestFinished(() => child.kill('SIGKILL'))
  let text = ''
  child.onData(data => {
    text += data
  })
  return {
    child,
    text: () => text,
    tty: () => waitFor('the name of the terminal', () => /\/dev\S+/.exec(text)?.[0]),
  }
}

test('a bell reaches the terminal', async () => {
  const { text, tty } = terminal()
  ringTerminal(await tty())
  await waitFor('the bell', () => text().includes('\u0007'))
})

test('ringing does not wait for a terminal that takes no more output, which then still gets what was written', async () => {
  const { child, text, tty } = terminal()
  const path = await tty()
  child.pause()
  const writtenBytes = fill(path)
  expect(fill(path)).toBe(0)
  ringTerminal(path)
  child.resume()
  await waitFor('all that was written', () => text().split('x').length - 1 >= writtenBytes)
})

test('ringing a terminal that is gone creates no file', () => {
  const path = join(temporaryDirectory(), 'tty')
  ringTerminal(path)
  expect(existsSync(path)).toBe(false)
})

/** Writes until the terminal takes no more, and returns how many bytes it took. */
function fill(path: string): number {
  let written = 0
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  try {
    while (true) written += writeSync(descriptor, 'x'.repeat(1024))
  } catch {
    return written
  } finally {
    closeSync(descriptor)
  }
}
