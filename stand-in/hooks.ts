import { type ChildProcess, spawn } from 'node:child_process'
import type { HookEvent } from './hook-events.ts'
import { endGroup, isAlive } from './process-group.ts'
import type { HookCommand, HookMatcher, Settings } from './settings.ts'

export interface HookOutcome {
  command: string
  /** null: it did not end by itself. */
  exitCode: number | null
  stdout: string
  stderr: string
}

export interface HookCall {
  event: HookEvent
  payload: Record<string, unknown>
  /** What a matcher is compared with: a tool's name, a source, a reason. */
  subject?: string
  /** Ends the commands early, as when the user turns down what a hook is still thinking about. */
  signal?: AbortSignal
}

const usualTimeoutMs = 600_000
/** A slow SessionEnd hook must not keep the terminal. */
const farewellTimeoutMs = 1_500

/** Runs the commands of an event side by side, each in a session of its own. */
export class Hooks {
  private readonly running = new Set<ChildProcess>()
  private readonly settings: Settings['hooks']
  private readonly env: () => NodeJS.ProcessEnv
  private readonly cwd: string

  constructor(settings: Settings['hooks'], cwd: string, env: () => NodeJS.ProcessEnv) {
    this.settings = settings
    this.cwd = cwd
    this.env = env
  }

  async run(call: HookCall): Promise<HookOutcome[]> {
    const commands = commandsFor(this.settings[call.event] ?? [], call.subject)
    return Promise.all(commands.map(command => this.runOne(command, call)))
  }

  private runOne(hook: HookCommand, call: HookCall): Promise<HookOutcome> {
    const child = spawn('/bin/sh', ['-c', hook.command], { cwd: this.cwd, env: this.env(), detached: true })
    this.running.add(child)
    const output = { stdout: '', stderr: '' }
    child.stdout.on('data', data => {
      output.stdout += data
    })
    child.stderr.on('data', data => {
      output.stderr += data
    })
    child.stdin.on('error', () => {})
    child.stdin.end(`${JSON.stringify(call.payload)}\n`)
    return new Promise(resolve => {
      const finish = (exitCode: number | null) => {
        clearTimeout(timer)
        call.signal?.removeEventListener('abort', stop)
        this.running.delete(child)
        resolve({ command: hook.command, exitCode, ...output })
      }
      const stop = () => signalGroup(child, 'SIGTERM')
      const timer = setTimeout(() => this.timeOut(child, call.event, finish), timeoutOf(hook, call.event))
      call.signal?.addEventListener('abort', stop, { once: true })
      child.on('error', () => finish(null))
      child.on('close', code => finish(code))
    })
  }

  private timeOut(child: ChildProcess, event: HookEvent, finish: (exitCode: null) => void): void {
    if (event !== 'SessionEnd') signalGroup(child, 'SIGTERM')
    child.stdout?.destroy()
    child.stderr?.destroy()
    child.unref()
    finish(null)
  }

  /** For the end of the program: nothing that still waits may hold it up for long. */
  async end(): Promise<void> {
    await Promise.all([...this.running].map(child => endGroup(child, farewellTimeoutMs)))
  }
}

export function commandsFor(matchers: readonly HookMatcher[], subject?: string): HookCommand[] {
  const commands = matchers.filter(entry => matches(entry.matcher, subject)).flatMap(entry => entry.commands)
  return [...new Map(commands.map(command => [command.command, command])).values()]
}

function matches(matcher: string | undefined, subject: string | undefined): boolean {
  if (!matcher || matcher === '*' || subject === undefined) return true
  try {
    return new RegExp(`^(?:${matcher})$`).test(subject)
  } catch {
    return matcher === subject
  }
}

function timeoutOf(hook: HookCommand, event: HookEvent): number {
  return hook.timeoutMs ?? (event === 'SessionEnd' ? farewellTimeoutMs : usualTimeoutMs)
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined && isAlive(child)) {
    try {
      process.kill(-child.pid, signal)
    } catch {
      /* gone between the look and the signal */
    }
  }
}
