import type { ChildProcess } from 'node:child_process'
import type { ProcessProbe } from './process-identity.ts'

/**
 * A program that has the terminal may suspend itself alone, as tmux does at `prefix C-z`: we go with it, so that the
 * shell below has its terminal back. `fg` wakes everybody.
 */
export function suspendTogether(child: ChildProcess, probe: ProcessProbe): void {
  const follow = () => {
    if (child.pid !== undefined && probe.isSuspended(child.pid)) process.kill(process.pid, 'SIGSTOP')
  }
  process.on('SIGCHLD', follow)
  child.once('exit', () => process.off('SIGCHLD', follow))
}
