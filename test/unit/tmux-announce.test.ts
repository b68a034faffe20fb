import { closeSync, constants, openSync, writeSync } from 'node:fs'
import pty from '@lydell/node-pty'
import { expect, onTestFinished, test } from 'vitest'
import { ringTerminal } from '../../src/tmux/announce.ts'
import { waitFor } from '../helpers/wait.ts'

/** A terminal, and what has arrived in it. */
function terminal() {
  const child = pty.spawn('/bin/sh', ['-c', 'tty; exec cat'], { encoding: 'latin1' })
  onTestFinished(() => child.kill('SIGKILL'))
  let text = ''
  child.onData(data => {
    text += data
  })
  return { child, text: () => text, tty: () => waitFor('its name', () => /\/dev\S+/.exec(text)?.[0]) }
}

test('a terminal hears it', async () => {
  const { text, tty } = terminal()
  ringTerminal(await tty())
  await waitFor('the bell', () => text().includes('\u0007'))
})

test('a terminal that takes nothing any more is not waited for', async () => {
  const { child, tty } = terminal()
  const path = await tty()
  child.pause()
  fill(path)
  expect(fill(path)).toBe(0)
  ringTerminal(path)
})

test('nor one that is gone', () => {
  expect(() => ringTerminal('/nowhere/tty')).not.toThrow()
  expect(() => ringTerminal('')).not.toThrow()
})

/** Until it takes no more; how much that was. */
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
