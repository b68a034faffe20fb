import { spawn, spawnSync } from 'node:child_process'
import type { Box } from './box.ts'
import { agencScript } from './root.ts'

export interface TimedOptions {
  env?: NodeJS.ProcessEnv
  input?: string
}

/** From start to end, its output read through a pipe as a script would. */
export function timeProgram(
  box: Box,
  file: string,
  args: readonly string[],
  options: TimedOptions = {},
): number {
  const beforeMs = performance.now()
  const done = spawnSync(file, args, {
    env: { ...box.env, ...options.env },
    cwd: box.root,
    input: options.input ?? '',
    maxBuffer: 64 * 2 ** 20,
  })
  const tookMs = performance.now() - beforeMs
  if (done.status !== 0) throw new Error(`${file} ${args.join(' ')} → ${done.status}: ${done.stderr}`)
  return tookMs
}

export function timeAgenc(box: Box, args: readonly string[], env?: NodeJS.ProcessEnv): number {
  return timeProgram(box, process.execPath, [agencScript, ...args], { env })
}

/** The floor of everything that starts Node. */
export function emptyNode(box: Box): () => number {
  const script = box.write('empty.cjs', '')
  return () => timeProgram(box, process.execPath, [script])
}

const patienceMs = 60_000
const pauseMs = 5

/** For what is not timed: preparing a round, and clearing up after it. */
export async function until(what: string, isSo: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + patienceMs
  while (!isSo()) {
    if (performance.now() > deadlineMs) throw new Error(`gave up waiting until ${what}`)
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
}

/** For what shows before the program ends, so that nothing is waited for in one piece. */
export function runProgram(
  box: Box,
  file: string,
  args: readonly string[],
  added: NodeJS.ProcessEnv,
): Promise<void> {
  const child = spawn(file, args, {
    env: { ...box.env, ...added },
    cwd: box.root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', code => (code === 0 ? resolve() : reject(new Error(`${args.join(' ')} → ${code}`))))
  })
}
