import type { ChildProcess } from 'node:child_process'
import type { Runner } from './runner.ts'

/**
 * A shell that outlives the wrapper: it waits on a pipe that only the wrapper holds, so that even after
 * `kill -9` of the wrapper somebody is left to end its Claude. Before, it makes the wrapper's bell: to start
 * a program costs Node much more than a shell.
 */
const guardScript = `trap '' HUP INT TERM; [ -z "$1" ] || mkfifo -m 600 "$1"; shift; read -r word; exec "$@"`

export interface Guard {
  pid: number | undefined
  /** Everything has ended as it should. Resolves when the guard is gone, too. */
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

/** It leads a group of its own, of which a `mkfifo` may be the other half. */
function killWithGroup({ pid, exitCode, signalCode }: ChildProcess): boolean {
  if (pid === undefined || exitCode !== null || signalCode !== null) return false
  try {
    return process.kill(-pid, 'SIGKILL')
  } catch {
    return false
  }
}
