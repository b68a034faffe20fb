import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { systemRunner } from '../../src/system/runner.ts'
import { type Tmux, tmuxAt } from '../../src/tmux/tmux.ts'
import { type Sandbox, sandbox } from './cli.ts'
import { openTerminal, type Terminal } from './terminal.ts'
import { waitFor } from './wait.ts'

/** A private tmux server that ends with the test. */
export interface TmuxBench {
  box: Sandbox
  tmux: Tmux
  /** Runs one tmux command, which must succeed, and returns its output. */
  run(...command: string[]): string
  /** Attaches a real client in a real terminal. */
  attach(session?: string, size?: { columns: number; rows: number }): Promise<Terminal>
}

export interface TmuxBenchOptions {
  box?: Sandbox
  /** The content of the user's tmux.conf. */
  config?: string
  /** Each has one window, which shows what is typed into it. */
  sessions?: readonly string[]
}

export function tmuxBench({
  box = sandbox(),
  config = '',
  sessions = ['agenc'],
}: TmuxBenchOptions = {}): TmuxBench {
  mkdirSync(join(box.root, 'tmux'), { recursive: true })
  const configPath = join(box.root, 'tmux.conf')
  writeFileSync(configPath, config)
  const tmux = tmuxAt(systemRunner, box.env, null)
  const run = (...command: string[]) => tmux.tell(command).join('\n')
  const [first = 'agenc', ...others] = sessions
  startServer(box.env, configPath, first)
  // Not with `tmux`, which asks nothing for a while after a call that was not answered.
  onTestFinished(() => void systemRunner.capture('tmux', ['kill-server'], { env: box.env }))
  for (const session of others) run('new-session', '-d', '-s', session, 'exec cat')
  return {
    box,
    tmux,
    run,
    attach: (session = first, size = { columns: 100, rows: 30 }) => attach(box, run, session, size),
  }
}

function startServer(env: NodeJS.ProcessEnv, configPath: string, session: string): void {
  const args = ['-u', '-f', configPath, 'new-session', '-d', '-s', session, 'exec cat']
  const { exitCode, stderr } = systemRunner.capture('tmux', args, { env })
  if (exitCode !== 0) throw new Error(`tmux new-session → ${exitCode}\n${stderr}`)
}

async function attach(
  box: Sandbox,
  run: TmuxBench['run'],
  session: string,
  size: { columns: number; rows: number },
): Promise<Terminal> {
  const terminal = openTerminal('tmux', ['-u', 'attach-session', '-t', `=${session}`], {
    env: box.env,
    ...size,
  })
  const pids = () => run('list-clients', '-F', '#{client_pid}').split('\n')
  await waitFor(`a client in ${session}`, () => pids().includes(String(terminal.pid)))
  return terminal
}
