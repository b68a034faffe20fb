import type { ChildProcess } from 'node:child_process'
import type { Runner } from './runner.ts'

/**
 * A shell that ends the wrapper's Claude if the wrapper is killed, even by `kill -9`. It waits on a pipe that only the
 * wrapper holds open. It also creates the wrapper's FIFOs, because a shell starts `mkfifo` much faster than Node does.
 */
const guardScript = `trap '' HUP INT QUIT TERM USR1 USR2; [ -z "$1" ] || mkfifo -m 600 "$1" "$2"; shift 2; read -r word; exec "$@"`

/** The paths of FIFOs to create. One that exists already stays. */
type Fifos = readonly [string, string]
const none: Fifos = ['', '']

/** A guard that ends sooner than this after its start is replaced later, and each time later still. */
const shortLifeMs = 1_000
const longestPauseMs = 60_000

export interface Guard {
  readonly pid: number | undefined
  /** Ends the guard after a normal end of the mission. Resolves when the guard is gone. */
  dismiss(): Promise<void>
}

/** Starts a guard, and another one whenever it dies before it is dismissed. */
export function postGuard(
  exec: Runner,
  reapCommand: readonly string[],
  env: NodeJS.ProcessEnv,
  fifos = none,
): Guard {
  let guard = startGuard(exec, reapCommand, env, fifos)
  let startedMs = performance.now()
  let isDismissed = false
  let pauseMs = 0
  let timer: NodeJS.Timeout | undefined

  const onLost = () => {
    if (isDismissed) return
    const isShortLived = performance.now() - startedMs < shortLifeMs
    pauseMs = isShortLived ? Math.min(pauseMs * 2 || shortLifeMs, longestPauseMs) : 0
    clearTimeout(timer)
    timer = setTimeout(replace, pauseMs).unref()
  }
  const replace = () => {
    startedMs = performance.now()
    try {
      guard = startGuard(exec, reapCommand, env, none)
      watch()
    } catch {
      onLost()
    }
  }
  const watch = () => guard.once('exit', onLost).once('error', onLost)
  watch()

  return {
    get pid() {
      return guard.pid
    },
    dismiss: () => {
      isDismissed = true
      clearTimeout(timer)
      return endGuard(guard)
    },
  }
}

function startGuard(
  exec: Runner,
  reapCommand: readonly string[],
  env: NodeJS.ProcessEnv,
  fifos: Fifos,
): ChildProcess {
  const guard = exec.start('/bin/sh', ['-c', guardScript, 'agenc-guard', ...fifos, ...reapCommand], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env,
    cwd: '/',
  })
  guard.on('error', () => {})
  guard.unref()
  return guard
}

function endGuard(guard: ChildProcess): Promise<void> {
  guard.ref()
  return new Promise(resolve => {
    guard.once('exit', () => resolve())
    if (!killWithGroup(guard)) resolve()
  })
}

/** Kills the whole process group, because `mkfifo` may still be running in it. */
function killWithGroup({ pid, exitCode, signalCode }: ChildProcess): boolean {
  if (pid === undefined || exitCode !== null || signalCode !== null) return false
  try {
    return process.kill(-pid, 'SIGKILL')
  } catch {
    return false
  }
}
