import { scanProcesses } from '../system/process-table.ts'
import type { Runner } from '../system/runner.ts'
import { type Agent, detect, type Sighting } from './detect.ts'
import { readTmuxServer } from './tmux-clients.ts'
import { findTmuxServers } from './tmux-servers.ts'
import { variableReader } from './variable.ts'
import type { WindowSystem } from './windows/system.ts'

export interface Surroundings {
  platform: NodeJS.Platform
  env: NodeJS.ProcessEnv
  exec: Runner
  windows: WindowSystem
  /** The tmux server of the agenc session; null is tmux's default one. */
  tmuxSocket: string | null
}

/** Where each agent can be seen: one process scan, one window query and one tmux query a server for all. */
export function look(
  { platform, env, exec, windows, tmuxSocket }: Surroundings,
  agents: readonly Agent[],
): Sighting[] {
  const processes = scanProcesses(platform, exec)
  const pids = agents.flatMap(agent => agent.pids).filter(pid => processes.has(pid))
  const variable = variableReader(platform, exec)
  const tmux = findTmuxServers(
    { processes, variable, sockets: [tmuxSocket], read: socket => readTmuxServer(exec, env, socket) },
    pids,
  )
  const { idVariable } = windows
  const windowIdOf = (pid: number) => (idVariable === null ? null : variable(pid, idVariable))
  return detect({ processes, tmux, windowIdOf, windows: pids.length > 0 ? windows.list() : null }, agents)
}

/** The fields of `agenc status --json`. */
export function sightingJson({ presence, window, editorType }: Sighting) {
  return {
    editor_open: editorType !== null,
    window_id: window?.id ?? null,
    editor_type: editorType,
    presence,
  }
}
