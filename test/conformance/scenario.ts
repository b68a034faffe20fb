import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from './bench.ts'
import type { Terminal } from './terminal.ts'

/** The same keys, prompts and signals for both programs; what it returns is compared as well. */
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

/** Outside the working directory, so that Claude has to ask. */
export const touch = (bench: Bench): string => `Work. [[bash touch ${bench.root}/made]] [[text Done.]]`
export const made = (bench: Bench): boolean => existsSync(join(bench.root, 'made'))

/** Started, and one prompt answered. */
export async function greeted(bench: Bench, args: readonly string[] = []): Promise<Terminal> {
  const terminal = await bench.ready(args)
  await bench.say(terminal, 'Hello. [[text Hello from the script.]]')
  await bench.untilEvent('Stop')
  await bench.untilStatus('idle')
  return terminal
}

/** A command that would take a minute; the pid is its own. */
export async function work(bench: Bench, terminal: Terminal): Promise<number> {
  const command = `echo $$ > ${bench.root}/pid; for i in 1 2 3; do sleep 20; done`
  await bench.say(terminal, `Run. [[bash ${command}]] [[text Done.]]`)
  return Number(await bench.untilFile('pid'))
}

export async function leave(bench: Bench, terminal: Terminal): Promise<void> {
  await bench.untilStatus('idle')
  await bench.say(terminal, '/exit')
  await bench.ended(terminal)
}
