import { readFileSync } from 'node:fs'
import type { Context } from '../context.ts'
import { type ProcessTable, scanProcesses } from '../system/process-table.ts'
import type { Runner } from '../system/runner.ts'
import {
  ancestryOf,
  type MissionPresence,
  type MissionProcess,
  presencesIn,
  type TmuxServer,
} from './mission-presence.ts'
import { type WindowSystem, windowSystemFor } from './window-system.ts'

/** The questions that this room asks tmux. src/tmux/clients.ts implements them; the commands pass it in. */
export interface TmuxClients {
  /** The socket of the agenc session's server. Null stands for tmux's default. */
  readonly agencSocket: string | null
  /** The clients and panes of one server. Returns null if the server does not answer. */
  readServer(socket: string | null): TmuxServer | null
  /** The socket in a value of `$TMUX`. */
  socketIn(tmuxVariable: string | null): string | null
}

/** The parts of this machine that tell which window shows a mission. */
export interface Desktop {
  readonly platform: NodeJS.Platform
  readonly exec: Runner
  readonly windows: WindowSystem
  readonly tmux: TmuxClients
}

export function desktopOf({ env, exec }: Pick<Context, 'env' | 'exec'>, tmux: TmuxClients): Desktop {
  const { platform } = process
  return { platform, exec, windows: windowSystemFor(platform, env, exec), tmux }
}

/**
 * Finds out where each mission can be seen. All missions together cost one process scan, one window query and one
 * query to each tmux server.
 */
export function locateMissions(
  { platform, exec, windows, tmux }: Desktop,
  missions: readonly MissionProcess[],
): MissionPresence[] {
  const processes = scanProcesses(platform, exec)
  const pids = missions.flatMap(({ wrapper_pid }) => wrapper_pid ?? []).filter(pid => processes.has(pid))
  const variable = variableReader(platform, exec)
  const { idVariable } = windows
  return presencesIn(
    {
      processes,
      tmux: findTmuxServers(tmux, processes, variable, pids),
      windowIdOf: pid => (idVariable === null ? null : variable(pid, idVariable)),
      windows: pids.length > 0 ? windows.list() : null,
    },
    missions,
  )
}

/**
 * Finds every tmux server between these processes and a window, and asks each one once. A client of one server may
 * run in a pane of another. The first process of that pane has the other server's socket in its `TMUX` variable, even
 * if the client was started with `TMUX` unset.
 */
export function findTmuxServers(
  tmux: TmuxClients,
  processes: ProcessTable,
  variable: ReadVariable,
  pids: readonly number[],
): TmuxServer[] {
  const found = new Map<number, TmuxServer>()
  const asked = new Set<string | null>()
  const waiting = [...pids]

  const ask = (socket: string | null) => {
    if (asked.has(socket)) return
    asked.add(socket)
    const server = tmux.readServer(socket)
    if (!server || found.has(server.pid)) return
    found.set(server.pid, server)
    waiting.push(...server.clients.map(client => client.pid))
  }

  for (let pid = waiting.shift(); pid !== undefined; pid = waiting.shift()) {
    const { line, tmuxServer } = ancestryOf(processes, pid)
    if (!tmuxServer) continue
    ask(tmux.agencSocket)
    if (found.has(tmuxServer.pid)) continue
    const socket = tmux.socketIn(variable(line.at(-1)!.pid, 'TMUX'))
    if (socket !== null) ask(socket)
  }
  return [...found.values()]
}

/** Reads a variable from the environment a process was started with. Returns null if it is unset or unreadable. */
type ReadVariable = (pid: number, name: string) => string | null

/** Reads the environment of each process once, because fifty missions may share one client. */
function variableReader(platform: NodeJS.Platform, exec: Runner): ReadVariable {
  const known = new Map<number, string[]>()
  return (pid, name) => {
    const entries = known.get(pid) ?? (platform === 'linux' ? procEnviron(pid) : psEnviron(exec, pid))
    known.set(pid, entries)
    return entries.find(entry => entry.startsWith(`${name}=`))?.slice(name.length + 1) ?? null
  }
}

function procEnviron(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    return []
  }
}

/** `ps -E` appends the environment to the arguments without quotes, so a value with spaces is cut at the first. */
function psEnviron(exec: Runner, pid: number): string[] {
  return exec.capture('ps', ['-Eww', '-o', 'command=', '-p', String(pid)]).stdout.split(/\s+/)
}
