import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from './bench.ts'
import type { Terminal } from './terminal.ts'

/** The keys, prompts and signals that both programs get. The results of `play` are compared as well. */
export interface Scenario {
  name: string
  trusted?: boolean
  play(bench: Bench): Promise<unknown>
}

export const keys = {
  enter: '\r',
  esc: '\u001b',
  down: '\u001b[B',
  shiftTab: '\u001b[Z',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  ctrlZ: '\u001a',
} as const

/** The file is outside the working directory, so Claude has to ask for permission. */
export const touch = (bench: Bench): string => `Work. [[bash touch ${bench.root}/made]] [[text Done.]]`
export const made = (bench: Bench): boolean => existsSync(join(bench.root, 'made'))

/** Starts the program and waits until it has answered one prompt. */
export async function startAndGreet(bench: Bench, args: readonly string[] = []): Promise<Terminal> {
  const terminal = await bench.ready(args)
  await bench.say(terminal, 'Hello. [[text Hello from the script.]]')
  await bench.untilEvent('Stop')
  await untilAtRest(bench, terminal)
  return terminal
}

/** The spinner in the title may stop later than the status changes. */
export async function untilAtRest(bench: Bench, terminal: Terminal): Promise<void> {
  await bench.untilStatus('idle')
  await bench.until(() => terminal.title.startsWith('✳'), 'a title without a spinner')
}

/** Runs a command that would take a minute, and returns the pid of its shell. */
export async function startLongCommand(bench: Bench, terminal: Terminal): Promise<number> {
  const command = `echo $$ > ${bench.root}/pid; for i in 1 2 3; do sleep 20; done`
  await bench.say(terminal, `Run. [[bash ${command}]] [[text Done.]]`)
  return Number(await bench.untilFile('pid'))
}

export async function leave(bench: Bench, terminal: Terminal): Promise<void> {
  await bench.untilStatus('idle')
  await bench.say(terminal, '/exit')
  await bench.ended(terminal)
}

/**
 * Exits with a key that must be pressed twice within a second. On a slow machine the second press may come too late, so
 * the key is pressed again when the hint has disappeared.
 */
export async function exitByDoublePress(bench: Bench, terminal: Terminal, key: string): Promise<void> {
  const isArmed = () => /Press Ctrl-[CD] again to exit/.test(terminal.screen())
  const hasLeft = () => terminal.ending !== undefined || terminal.modes().buffer === 'normal'
  while (!hasLeft()) {
    terminal.send(key)
    await bench.until(() => isArmed() || hasLeft(), 'the hint to press the key again')
    if (!hasLeft()) terminal.send(key)
    await bench.until(() => !isArmed() || hasLeft(), 'the effect of the second press')
  }
  await bench.ended(terminal)
}
