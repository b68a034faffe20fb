import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { newShellId, notification } from './background-tasks.ts'
import type { ToolUse } from './permissions.ts'
import { endGroup } from './signals.ts'
import type { Stage } from './stage.ts'
import type { ToolResult } from './tools.ts'

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

/** Commands of the Bash tool: each in a session of its own, all of them ended with the program. */
export class Shells {
  private readonly running = new Set<ChildProcess>()

  /** Both outputs in the order they came. Ended with its whole group when the signal says so. */
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

  /** Goes on while the conversation does; its output is in the file. */
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

/** Some commands say nothing when all went well. */
export function expectsNoOutput(command: string): boolean {
  return !/[;&|]/.test(command) && silentCommands.has(command.trim().split(/\s+/)[0] ?? '')
}

/** A command that the conversation does not wait for; when it ends, Claude is told. */
export function startBackgroundShell(stage: Stage, tool: ToolUse): ToolResult {
  const { session, tasks, shells } = stage
  const id = newShellId()
  const command = String(tool.input.command)
  const description = String(tool.input.description ?? command)
  const outputFile = session.places.taskOutput(session.cwd, session.sessionId, id)
  tasks.add({ id, type: 'shell', description, command })
  void shells.background(command, { cwd: session.cwd, env: stage.childEnv() }, outputFile).then(exitCode => {
    if (stage.ending.aborted) return
    tasks.remove(id)
    stage.changed()
    const summary = `Background command "${description}" completed (exit code ${exitCode})`
    stage.notify(notification({ taskId: id, toolUseId: tool.id, outputFile, summary }))
  })
  const text = `Command running in background with ID: ${id}. Output is being written to: ${outputFile}.`
  const response = { stdout: '', stderr: '', interrupted: false, isImage: false, noOutputExpected: false }
  return { kind: 'done', response: { ...response, backgroundTaskId: id }, text }
}
