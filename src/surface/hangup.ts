import type { Context } from '../context.ts'
import type { ProcessProbe } from '../system/process-identity.ts'
import { waitUntilGone } from '../system/process-tree.ts'
import { socketOf } from '../tmux/server.ts'
import { wasJustClosed } from '../tmux/session-closed-marker.ts'
import { tmuxAt } from '../tmux/tmux.ts'
import { isTerminalGone } from './terminal.ts'

const serverMs = 2_000

/**
 * A hangup is somebody's wish when a window or the session was closed, and a loss when the terminal or the whole
 * tmux server went. A server that lost its last session is on its way out: what it leaves behind tells which.
 */
export async function terminalWasTaken(context: Context, probe: ProcessProbe): Promise<boolean> {
  const { exec, env, paths, now } = context
  if (!isTerminalGone()) return false
  const socket = socketOf(env)
  if (socket === null) return true
  const server = probe.identify(Number(env.TMUX?.split(',')[1]))
  const answer = tmuxAt(exec, env, socket).ask(['list-sessions'])
  if (answer.kind === 'ok' && answer.lines.length > 0) return false
  if (server !== null) await waitUntilGone(probe, [server], serverMs)
  return !wasJustClosed(paths, now())
}
