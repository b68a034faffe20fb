import { closeSync, constants, openSync, readdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import pty from '@lydell/node-pty'
import { expect, onTestFinished, test } from 'vitest'
import { ringTerminal } from '../../src/tmux/announce.ts'
import { temporaryDirectory } from '../helpers/cli.ts'
import { waitFor } from '../helpers/wait.ts'

/** A terminal, and the text that has arrived in it. */
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

test('the bell reaches the terminal', async () => {
  const { text, tty } = terminal()
  ringTerminal(await tty())
  await waitFor('the bell', () => text().includes('\u0007'))
})

test('ringing a terminal that accepts no more output returns at once', async () => {
  const { child, tty } = terminal()
  const path = await tty()
  child.pause()
  fill(path)
  expect(fill(path)).toBe(0)
  ringTerminal(path)
})

test('ringing a terminal that is gone is no error, and creates no file in its place', () => {
  const directory = temporaryDirectory()
  ringTerminal(join(directory, 'tty'))
  ringTerminal('')
  expect(readdirSync(directory)).toEqual([])
})

/** Writes until the terminal accepts no more. Returns the number of characters written. */
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
