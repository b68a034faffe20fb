import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import type { Sandbox } from './cli.ts'
import { waitFor } from './wait.ts'

/** An X display for one test. */
export interface Display {
  env: NodeJS.ProcessEnv
  /** Starts a program that is ended with the test. */
  start(program: string, args: string[], env?: NodeJS.ProcessEnv): ChildProcess
  /** Runs a program to its end. Returns its standard output. */
  run(program: string, ...args: string[]): string
}

export async function startDisplay(box: Sandbox, { windowManager = true } = {}): Promise<Display> {
  const run = box.env.XDG_RUNTIME_DIR!
  const { WINDOWID, WAYLAND_DISPLAY, DBUS_SESSION_BUS_ADDRESS, ...inherited } = box.env
  const env: NodeJS.ProcessEnv = { ...inherited, XDG_RUNTIME_DIR: run, DISPLAY: await startServer() }
  const display: Display = {
    env,
    start: (program, args, more = {}) => startProgram(program, args, { ...env, ...more }),
    run: (program, ...args) => spawnSync(program, args, { env, encoding: 'utf8' }).stdout,
  }
  if (windowManager) {
    display.start('openbox', ['--sm-disable'])
    await waitFor('the window manager', () =>
      display.run('xprop', '-root', '_NET_SUPPORTING_WM_CHECK').includes('#'),
    )
  }
  return display
}

async function startServer(): Promise<string> {
  const args = ['-displayfd', '3', '-screen', '0', '800x600x24', '-nolisten', 'tcp', '-noreset']
  const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  onTestFinished(() => void server.kill())
  const [number] = await once(server.stdio[3] as Readable, 'data')
  return `:${String(number).trim()}`
}

function startProgram(program: string, args: string[], env: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(program, args, { env, stdio: 'ignore' })
  onTestFinished(() => void child.kill())
  return child
}
