import { systemProbe } from '../system/process-identity.ts'
import type { Runner } from '../system/runner.ts'
import { suspendTogether } from '../system/signals.ts'
import type { Tmux, TmuxCommand } from './tmux.ts'

/**
 * Runs tmux on this terminal until its client detaches. Resolves to the exit code. tmux's own messages are hidden,
 * because a session that has ended in the meantime is not an error.
 */
export function attachClient(exec: Runner, tmux: Tmux, ...commands: TmuxCommand[]): Promise<number | null> {
  const child = tmux.startOnTerminal(...commands)
  suspendTogether(child, systemProbe(exec))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', code => resolve(code))
  })
}
