import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { endGroup } from './signals.ts'

export interface BashPlace {
  cwd: string
  env: NodeJS.ProcessEnv
}

export interface BashResult {
  exitCode: number
  output: string
}

const graceMs = 1_000
const silentCommands = new Set([
  'cd',
  'chmod',
  'chown',
  'cp',
  'export',
  'ln',
  'mkdir',
  'mv',
  'rm',
  'rmdir',
  'touch',
])

/** Runs the commands of the Bash tool, each in its own session. All of them end with the program. */
export class Shells {
  private readonly running = new Set<ChildProcess>()

  /**
   * Collects stdout and stderr in the order in which they arrive. Aborting the signal ends the whole process
   * group.
   */
  async run(command: string, place: BashPlace, signal: AbortSignal): Promise<BashResult> {
    const child = this.start(command, place, 'pipe')
    let output = ''
    const keep = (data: unknown) => {
      output += data
    }
    child.stdout?.on('data', keep)
    child.stderr?.on('data', keep)
    const stop = () => void endGroup(child, graceMs)
    signal.addEventListener('abort', stop, { once: true })
    const exitCode = await exitOf(child, 'close')
    signal.removeEventListener('abort', stop)
    return { exitCode, output: output.replace(/\n+$/, '') }
  }

  /** Resolves with the exit code. The command's output goes to the file. */
  background(command: string, place: BashPlace, outputPath: string): Promise<number> {
    mkdirSync(dirname(outputPath), { recursive: true, mode: 0o700 })
    const file = openSync(outputPath, 'w', 0o600)
    const child = this.start(command, place, file)
    closeSync(file)
    return exitOf(child, 'exit')
  }

  async end(): Promise<void> {
    await Promise.all([...this.running].map(child => endGroup(child, graceMs)))
  }

  private start(command: string, { cwd, env }: BashPlace, output: 'pipe' | number): ChildProcess {
    const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh'
    const child = spawn(shell, ['-c', command], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', output, output],
    })
    this.running.add(child)
    child.once('exit', () => this.running.delete(child))
    return child
  }
}

function exitOf(child: ChildProcess, event: 'exit' | 'close'): Promise<number> {
  return new Promise(resolve => {
    child.once('error', () => resolve(127))
    child.once(event, (code: number | null) => resolve(code ?? 137))
  })
}

/** Some commands print nothing when they succeed. */
export function expectsNoOutput(command: string): boolean {
  return !/[;&|]/.test(command) && silentCommands.has(command.trim().split(/\s+/)[0] ?? '')
}
