import type { ChildProcess } from 'node:child_process'
import type { Runner } from './runner.ts'

/**
 * A shell that ends the wrapper's Claude if the wrapper is killed, even by `kill -9`. It waits on a pipe that only the
 * wrapper holds open. It also creates the wrapper's FIFO, because a shell starts `mkfifo` much faster than Node does.
 */
const guardScript = `trap '' HUP INT TERM; [ -z "$1" ] || mkfifo -m 600 "$1"; shift; read -r word; exec "$@"`

export interface Guard {
  pid: number | undefined
  /** Ends the guard after a normal end of the mission. Resolves when the guard is gone. */
  dismiss(): Promise<void>
}

export function postGuard(
  exec: Runner,
  reapCommand: readonly string[],
  env: NodeJS.ProcessEnv,
  fifo = '',
): Guard {
  const guard = exec.start('/bin/sh', ['-c', guardScript, 'agenc-guard', fifo, ...reapCommand], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env,
    cwd: '/',
  })
  guard.on('error', () => {})
  guard.unref()
  const dismiss = () => {
    guard.ref()
    return new Promise<void>(resolve => {
      guard.once('exit', () => resolve())
      if (!killWithGroup(guard)) resolve()
    })
  }
  return { pid: guard.pid, dismiss }
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
