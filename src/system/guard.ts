import type { ChildProcess } from 'node:child_process'
import type { Runner } from './runner.ts'

/**
 * A shell that outlives this process. It reads from a pipe whose other end only this process holds, so the read ends
 * even after `kill -9`, and the shell runs the command that cleans up. First it makes a FIFO if it was given a path:
 * a shell starts a program much more cheaply than Node.
 */
const guardScript = `trap '' HUP INT TERM; [ -z "$1" ] || mkfifo -m 600 "$1"; shift; read -r word; exec "$@"`

export interface Guard {
  pid: number | undefined
  /** Ends the guard without running its command. Resolves when the guard is gone. */
  dismiss(): Promise<void>
}

export function postGuard(
  exec: Runner,
  reapCommand: readonly string[],
  env: NodeJS.ProcessEnv,
  bell = '',
): Guard {
  const guard = exec.start('/bin/sh', ['-c', guardScript, 'agenc-guard', bell, ...reapCommand], {
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

/** The guard leads a process group of its own, and a `mkfifo` may still be running in it. */
function killWithGroup({ pid, exitCode, signalCode }: ChildProcess): boolean {
  if (pid === undefined || exitCode !== null || signalCode !== null) return false
  try {
    return process.kill(-pid, 'SIGKILL')
  } catch {
    return false
  }
}
