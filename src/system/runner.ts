import type { ChildProcess, StdioOptions } from 'node:child_process'
import { errorCode, explainSystemError } from '../errors.ts'

export interface CaptureOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  input?: string
  /** After this time the program is killed with SIGKILL, because it may ignore other signals or be suspended. */
  timeoutMs?: number
  /** `inherit` for a program that draws on the terminal while it answers on stdout. */
  stderr?: 'inherit' | 'pipe'
  stdin?: 'inherit' | 'ignore'
}

/** `both` shows the output and returns it. */
export type OutputMode = 'inherit' | 'pipe' | 'both'

export interface StreamOptions extends Omit<CaptureOptions, 'stderr'> {
  stdout?: OutputMode
  stderr?: OutputMode
  /** Both outputs are also appended to this file. */
  logPath?: string
  signal?: AbortSignal
}

export interface StartOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  stdio: StdioOptions
  /** Whether the program gets a session of its own, so that it outlives this process and its terminal. */
  detached?: boolean
}

export interface Result {
  /** Null if the program could not be started or died of a signal. */
  exitCode: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** Whether the program does not exist (ENOENT). */
  missing: boolean
  /** Whether the program was killed because of `timeoutMs`. */
  timedOut?: boolean
}

/**
 * The only way to run another program: a name and a list of arguments, never a shell string.
 * A program's failure is not thrown, because only the caller knows what it means.
 */
export interface Runner {
  /** Runs a program for a short question, and waits for the answer. */
  capture(file: string, args: readonly string[], options?: CaptureOptions): Result
  /** Runs a program for long work: it may show progress and may be interrupted. */
  stream(file: string, args: readonly string[], options?: StreamOptions): Promise<Result>
  /** Starts a program that runs beside this one. */
  start(file: string, args: readonly string[], options: StartOptions): ChildProcess
}

/** Loads the module when the first program is started: it costs 4 ms, and most commands start no program. */
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
    killSignal: 'SIGKILL',
    stdio: [options.stdin ?? 'pipe', 'pipe', options.stderr ?? 'pipe'],
    encoding: 'utf8',
    maxBuffer: maxOutputBytes,
  })
  const failure = done.error as NodeJS.ErrnoException | undefined
  if (failure?.code === 'ETIMEDOUT') return timedOut(options.timeoutMs!, done)
  return {
    exitCode: done.status,
    signal: done.signal,
    stdout: done.stdout ?? '',
    stderr: done.stderr || (failure ? whyNotStarted(failure) : ''),
    missing: failure?.code === 'ENOENT',
  }
}

/** Names the cause in words: `spawnSync git EMFILE` is not an explanation. */
export function whyNotStarted(failure: unknown): string {
  return explainSystemError(failure, '/')?.message ?? (failure as Error).message
}

/** The result of a program that was killed because it took too long. */
export function timedOut(timeoutMs: number, output?: Partial<Pick<Result, 'stdout' | 'stderr'>>): Result {
  return {
    exitCode: null,
    signal: 'SIGKILL',
    stdout: output?.stdout ?? '',
    stderr: output?.stderr || `no answer within ${timeoutMs / 1000} s`,
    missing: false,
    timedOut: true,
  }
}

/** Only long work uses execa: loading it takes longer than a short question. */
async function stream(file: string, args: readonly string[], options: StreamOptions = {}): Promise<Result> {
  const { streamWithExeca } = await import('./stream.ts')
  return streamWithExeca(systemRunner, file, args, options)
}

function start(file: string, args: readonly string[], options: StartOptions): ChildProcess {
  return childProcess().spawn(file, args, options)
}

export const systemRunner: Runner = { capture, stream, start }

/** Waits for a program that was started with pipes, and returns its output. */
export function collect(child: ChildProcess, encoding: BufferEncoding = 'utf8'): Promise<Result> {
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding(encoding).on('data', (text: string) => {
      texts[name] += text
    })
  }
  return new Promise(resolve => {
    child.on('error', error => {
      const missing = errorCode(error) === 'ENOENT'
      resolve({ exitCode: null, signal: null, stdout: '', stderr: whyNotStarted(error), missing })
    })
    child.on('close', (exitCode, signal) => resolve({ exitCode, signal, ...texts, missing: false }))
  })
}

/** Starts a program that is not our child and outlives us: a shell starts it and ends at once. */
export function startDetached(exec: Runner, command: readonly string[], env: NodeJS.ProcessEnv): void {
  const shell = exec.start('/bin/sh', ['-c', '"$@" </dev/null >/dev/null 2>&1 &', 'sh', ...command], {
    env,
    stdio: 'ignore',
    detached: true,
    cwd: '/',
  })
  shell.on('error', () => {})
}
