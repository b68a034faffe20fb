import type { Runner } from '../system/runner.ts'
import { type Tmux, type TmuxCommand, tmuxAt } from './tmux.ts'
import { type Answer, answerOf } from './tmux-answer.ts'

export interface ScratchServer {
  exec: Runner
  env: NodeJS.ProcessEnv
  socket: string
  /** Read in place of the user's tmux.conf. */
  configFile: string
}

/** Runs the commands on a server of its own, and starts that server if the commands need one. */
export function startScratchServer(
  { exec, env, socket, configFile }: ScratchServer,
  ...commands: TmuxCommand[]
): { tmux: Tmux; answer: Answer } {
  const tmux = tmuxAt(exec, env, socket)
  // tmux reads -f only when it starts a server, so later calls need not repeat it.
  const result = exec.capture('tmux', ['-f', configFile, ...tmux.arguments(...commands)], { env })
  return { tmux, answer: answerOf(result, commands) }
}
