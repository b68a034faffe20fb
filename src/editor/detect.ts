import type { Process, ProcessTable } from '../system/process-table.ts'
import { ancestryOf } from './ancestry.ts'
import { pickWindow } from './pick-window.ts'
import type { TmuxClient, TmuxPane, TmuxServer } from './tmux-clients.ts'
import type { Window } from './windows/system.ts'

export type Presence = 'windowed' | 'detached' | 'remote' | 'terminal' | 'orphan' | 'none'

/** A window and the very process it belonged to when it was seen. */
export interface SeenWindow extends Window {
  readonly startTime: string
}

export interface Sighting {
  readonly presence: Presence
  readonly window: SeenWindow | null
  /** The program that shows the mission, also where it has several windows and ours cannot be told. */
  readonly editorType: string | null
  /** A window may well show it: the list of windows could not be had. */
  readonly isUncertain: boolean
}

/** One look at the machine, for any number of missions. */
export interface Scene {
  readonly processes: ProcessTable
  /** null: the windows cannot be told here. */
  readonly windows: readonly Window[] | null
  readonly tmux: readonly TmuxServer[]
  /** Which window a process was told it runs in. */
  windowIdOf(pid: number): string | null
}

export interface Agent {
  /** The mission's processes, Claude's first; those that are gone do no harm. */
  readonly pids: readonly number[]
  /** In a window's title this means the mission. */
  readonly shortId: string
}

export function detect(scene: Scene, agents: readonly Agent[]): Sighting[] {
  const windowsByPid = new Map<number, Window[]>()
  for (const window of scene.windows ?? []) {
    windowsByPid.set(window.pid, [...(windowsByPid.get(window.pid) ?? []), window])
  }
  return agents.map(agent => {
    const pid = agent.pids.find(pid => scene.processes.has(pid))
    if (pid === undefined) return unseen('none')
    return follow({ ...scene, windowsByPid }, scene.processes.get(pid)!, [agent.shortId], new Set())
  })
}

interface IndexedScene extends Scene {
  windowsByPid: ReadonlyMap<number, Window[]>
}

/** Up the parents to a window or a login; from a tmux pane on by way of the client that shows it. */
function follow(scene: IndexedScene, start: Process, marks: string[], hopped: Set<TmuxClient>): Sighting {
  const { line } = ancestryOf(scene.processes, start.pid)
  for (const [depth, process] of line.entries()) {
    const windows = scene.windowsByPid.get(process.pid)
    if (windows) return shownBy(scene, process, windows, line.slice(0, depth), marks)
    if (isRemoteLogin(process.name)) return unseen('remote')
  }
  if (start.tty === null) return unlisted(scene, hopped.size === 0 ? 'orphan' : 'terminal')
  const panes = panesOn(scene, start.tty)
  if (panes.length === 0) return unlisted(scene, 'terminal')
  const client = lastActive(
    panes.flatMap(({ server, pane }) => clientsOf(server, pane)).filter(c => !hopped.has(c)),
  )
  if (!client) return unseen('detached')
  const process = scene.processes.get(client.pid)
  return process
    ? follow(scene, process, [...marks, client.title], hopped.add(client))
    : unlisted(scene, 'terminal')
}

function shownBy(
  scene: Scene,
  owner: Process,
  windows: readonly Window[],
  below: readonly Process[],
  marks: readonly string[],
): Sighting {
  const window = pickWindow(windows, { below, marks, windowIdOf: scene.windowIdOf })
  return {
    presence: window ? 'windowed' : 'terminal',
    window: window && { ...window, startTime: owner.startTime },
    editorType: owner.name,
    isUncertain: false,
  }
}

function isRemoteLogin(name: string): boolean {
  return name === 'sshd' || name === 'sshd-session' || name === 'mosh-server'
}

function panesOn(scene: Scene, tty: string): { server: TmuxServer; pane: TmuxPane }[] {
  return scene.tmux.flatMap(server =>
    server.panes.filter(pane => pane.tty === tty).map(pane => ({ server, pane })),
  )
}

function clientsOf(server: TmuxServer, pane: TmuxPane): TmuxClient[] {
  return server.clients.filter(client => client.session === pane.session)
}

/** tmux counts in seconds; of two in the same one the later in its list attached later. */
function lastActive(clients: readonly TmuxClient[]): TmuxClient | undefined {
  return clients.reduce<TmuxClient | undefined>(
    (latest, client) => (latest && latest.activity > client.activity ? latest : client),
    undefined,
  )
}

function unseen(presence: Presence): Sighting {
  return { presence, window: null, editorType: null, isUncertain: false }
}

/** Nobody on the way up is known to own a window. */
function unlisted(scene: Scene, presence: Presence): Sighting {
  return { ...unseen(presence), isUncertain: scene.windows === null }
}
