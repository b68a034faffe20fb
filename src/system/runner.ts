import type { ChildProcess, StdioOptions } from 'node:child_process'

export interface CaptureOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  input?: string
  timeoutMs?: number
  /** `inherit` for a program that draws on the terminal while it answers on stdout. */
  stderr?: 'inherit' | 'pipe'
  stdin?: 'inherit' | 'ignore'
}

export interface StreamOptions extends CaptureOptions {
  stdout?: 'inherit' | 'pipe'
  /** Both outputs are also appended to this file. */
  logPath?: string
  signal?: AbortSignal
}

export interface StartOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  stdio: StdioOptions
  /** In a session of its own, so that it outlives this process and its terminal. */
  detached?: boolean
}

export interface Result {
  /** null when the program could not be started or died by a signal. */
  exitCode: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** The program is not there (ENOENT). */
  missing: boolean
}

/**
 * The one way to another program: a name and a list of arguments, never a shell string.
 * A program's failure is not thrown; callers decide what it means.
 */
export interface Runner {
  /** A short question, answered before the next line runs. */
  capture(file: string, args: readonly string[], options?: CaptureOptions): Result
  /** Long work: may show its own progress, may be interrupted. */
  stream(file: string, args: readonly string[], options?: StreamOptions): Promise<Result>
  /** A program that lives beside this one. */
  start(file: string, args: readonly string[], options: StartOptions): ChildProcess
}

/** Loaded when the first program is started: it costs 4 ms, and most commands start none. */
function childProcess() {
  return process.getBuiltinModule('node:child_process')
}

const maxOutputBytes = 64 * 1024 * 1024

function capture(file: string, args: readonly string[], options: CaptureOptions = {}): Result {
  const done = childProcess().spawnSync(file, args, {
    cwd: options.cwd,
    env: options.env,
    input: options.input ?? '',
    timeout: options.timeoutMs,
    stdio: [options.stdin ?? 'pipe', 'pipe', options.stderr ?? 'pipe'],
    encoding: 'utf8',
    maxBuffer: maxOutputBytes,
  })
  const failure = done.error as NodeJS.ErrnoException | undefined
  return {
    exitCode: done.status,
    signal: done.signal,
    stdout: done.stdout ?? '',
    stderr: done.stderr || (failure?.message ?? ''),
    missing: failure?.code === 'ENOENT',
  }
}

/** execa costs more to load than a short question takes, so only long work pays for it. */
async function stream(file: string, args: readonly string[], options: StreamOptions = {}): Promise<Result> {
  const { streamWithExeca } = await import('./stream.ts')
  return streamWithExeca(file, args, options)
}

function start(file: string, args: readonly string[], options: StartOptions): ChildProcess {
  return childProcess().spawn(file, args, options)
}

export const systemRunner: Runner = { capture, stream, start }
