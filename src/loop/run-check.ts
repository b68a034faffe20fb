import type { ChildProcess } from 'node:child_process'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { Context } from '../context.ts'
import type { CheckResult } from '../db/loops.ts'
import { errorCode } from '../errors.ts'
import { cleanLines } from '../io/text.ts'
import { type ProcessIdentity, systemProbe } from '../system/process-identity.ts'

export interface Check {
  /** A command for the shell, or a program with its arguments. */
  command: string | readonly string[]
  directory: string
  env: NodeJS.ProcessEnv
  /** Gets the whole output, at its end. */
  logPath: string
  timeoutMs: number
  signal: AbortSignal
  /** Called with the process before the command starts. If it throws, the command never does. */
  onStarted: (check: ProcessIdentity) => void
}

/** The next prompt has no room for more. */
const keptBytes = 16 * 1024
/** How long a command may take to end after SIGTERM. */
const graceMs = 3_000

/**
 * Waits for a line on stdin first: a runner that is killed before it knows the process leaves no command behind. The
 * process stays the same, and leads a group that can be ended as a whole.
 */
const waitForGo = 'read -r go && exec "$@" </dev/null'

/** Runs the command that decides whether a loop has reached its aim. It succeeds with exit code 0. */
export async function runCheck({ exec }: Context, check: Check): Promise<CheckResult> {
  const log = openSync(check.logPath, 'a', 0o600)
  const from = fstatSync(log).size
  const startedMs = Date.now()
  try {
    const command = typeof check.command === 'string' ? ['/bin/sh', '-c', check.command] : check.command
    const child = exec.start('/bin/sh', ['-c', waitForGo, 'sh', ...command], {
      cwd: check.directory,
      env: check.env,
      stdio: ['pipe', log, log],
      detached: true,
    })
    const ended = exitOf(child)
    const own = child.pid === undefined ? null : systemProbe(exec).identify(child.pid)
    child.stdin?.on('error', () => {})
    try {
      if (own !== null) check.onStarted(own)
      child.stdin?.write('go\n')
    } finally {
      child.stdin?.end()
    }
    const { exit, signal, isTimeUp } = await untilOver(child, ended, check)
    const output = tailOf(check.logPath, from)
    return { exit, signal, is_time_up: isTimeUp, duration_ms: Date.now() - startedMs, output }
  } finally {
    closeSync(log)
  }
}

interface Exit {
  exit: number | null
  signal: NodeJS.Signals | null
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    // Not `close`: a process that the command leaves running keeps its output open.
    child.on('exit', (exit, signal) => resolve({ exit, signal }))
  })
}

async function untilOver(
  child: ChildProcess,
  ended: Promise<Exit>,
  { timeoutMs, signal }: Check,
): Promise<Exit & { isTimeUp: boolean }> {
  let isTimeUp = false
  let killer: NodeJS.Timeout | undefined
  const end = () => {
    endGroup(child.pid!, 'SIGTERM')
    killer ??= setTimeout(() => endGroup(child.pid!, 'SIGKILL'), graceMs)
  }
  const timer = setTimeout(() => {
    isTimeUp = true
    end()
  }, timeoutMs)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  try {
    const exit = await ended
    const wasEnded = isTimeUp || signal.aborted
    // Its helpers may ignore SIGTERM.
    if (wasEnded) endGroup(child.pid!, 'SIGKILL')
    return { ...exit, exit: isTimeUp ? null : exit.exit, isTimeUp }
  } finally {
    clearTimeout(timer)
    clearTimeout(killer)
    signal.removeEventListener('abort', end)
  }
}

/** Ends the command of a runner that was killed, with everything in its process group. */
export function endLeftCheck({ exec }: Context, check: ProcessIdentity): void {
  if (systemProbe(exec).liveness([check])[0] === 'alive') endGroup(check.pid, 'SIGKILL')
}

function endGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error
  }
}

/** The end of a file, from some byte on, as text without control characters. Begins with a whole line if it is cut. */
function tailOf(path: string, from: number): string {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const start = Math.max(from, size - keptBytes)
    const bytes = Buffer.alloc(Math.max(0, size - start))
    readSync(file, bytes, 0, bytes.length, start)
    const text = cleanLines(bytes.toString('utf8').replaceAll('\r\n', '\n').replaceAll('\t', '    ')).trim()
    return start === from ? text : text.slice(text.indexOf('\n') + 1)
  } finally {
    closeSync(file)
  }
}
