import type { Process, ProcessTable } from '../system/process-table.ts'
import type { Window } from './window-system.ts'

export type Presence = 'windowed' | 'detached' | 'remote' | 'terminal' | 'orphan' | 'none'

/** A window and the process that owned it when it was found. */
export interface FoundWindow extends Window {
  readonly startTime: string
}

export interface MissionPresence {
  readonly presence: Presence
  readonly window: FoundWindow | null
  /** The program that shows the mission. Known even if the program has several windows that look alike. */
  readonly editorType: string | null
  /** True if a window may show the mission, but the windows could not be listed. */
  readonly isUncertain: boolean
}

/** A terminal that shows a tmux session. */
export interface TmuxClient {
  readonly pid: number
  readonly session: string
  /** When the client was last used, in seconds. */
  readonly activity: number
  /** The title that tmux gives the terminal, or '' if it gives none. */
  readonly title: string
}

export interface TmuxServer {
  readonly pid: number
  readonly clients: readonly TmuxClient[]
  /** A pane that is linked into several sessions is listed once per session. */
  readonly panes: readonly { readonly tty: string; readonly session: string }[]
}

/** A snapshot of the machine, good for any number of missions. */
export interface Scene {
  readonly processes: ProcessTable
  /** Null if the windows could not be listed. */
  readonly windows: readonly Window[] | null
  readonly tmux: readonly TmuxServer[]
  /** The id of its window that a terminal has passed to this process. */
  windowIdOf(pid: number): string | null
}

/** The fields of a mission in JSON that it is found by. */
export interface MissionProcess {
  readonly short_id: string
  /** Claude is the wrapper's child, so it has the same parents. */
  readonly wrapper_pid: number | null
}

/** Decides where each mission can be seen, in the order of the missions. */
export function presencesIn(scene: Scene, missions: readonly MissionProcess[]): MissionPresence[] {
  const windowsByPid = new Map<number, Window[]>()
  for (const window of scene.windows ?? []) {
    windowsByPid.set(window.pid, [...(windowsByPid.get(window.pid) ?? []), window])
  }
  return missions.map(({ short_id, wrapper_pid }) => {
    const process = scene.processes.get(wrapper_pid ?? 0)
    if (process === undefined) return unseen('none')
    return follow({ ...scene, windowsByPid }, process, [short_id], new Set())
  })
}

/** The fields of `agenc status --json`. */
export function presenceJson({ presence, window, editorType }: MissionPresence) {
  return {
    editor_open: editorType !== null,
    window_id: window?.id ?? null,
    editor_type: editorType,
    presence,
  }
}

const maxParents = 20

export interface Ancestry {
  /** The process and its parents up to a tmux server, nearest first. */
  line: Process[]
  /** The line ends here: a server's parents only tell which process started it, not which one shows it. */
  tmuxServer: Process | null
}

export function ancestryOf(processes: ProcessTable, pid: number): Ancestry {
  const line: Process[] = []
  for (let next = processes.get(pid); next && line.length <= maxParents; next = processes.get(next.ppid)) {
    // A tmux that is a parent is a server: a client starts no processes.
    if (line.length > 0 && /^tmux\b/.test(next.name)) return { line, tmuxServer: next }
    line.push(next)
  }
  return { line, tmuxServer: null }
}

interface IndexedScene extends Scene {
  windowsByPid: ReadonlyMap<number, Window[]>
}

/**
 * Follows the parents up to a window or a remote login. From a tmux pane it continues at the client that shows the
 * pane, which may itself run in a pane. Each client is visited once.
 */
function follow(
  scene: IndexedScene,
  start: Process,
  titles: string[],
  visited: Set<TmuxClient>,
): MissionPresence {
  const { line } = ancestryOf(scene.processes, start.pid)
  for (const [depth, process] of line.entries()) {
    const windows = scene.windowsByPid.get(process.pid)
    if (windows) return shownBy(scene, process, windows, line.slice(0, depth), titles)
    if (isRemoteLogin(process.name)) return unseen('remote')
  }
  if (start.tty === null) return withoutWindow(scene, visited.size === 0 ? 'orphan' : 'terminal')
  const { isPane, clients } = clientsShowing(scene, start.tty)
  if (!isPane) return withoutWindow(scene, 'terminal')
  const client = lastActive(clients.filter(client => !visited.has(client)))
  if (!client) return unseen('detached')
  const process = scene.processes.get(client.pid)
  return process
    ? follow(scene, process, [...titles, client.title], visited.add(client))
    : withoutWindow(scene, 'terminal')
}

function shownBy(
  scene: Scene,
  owner: Process,
  windows: readonly Window[],
  below: readonly Process[],
  titles: readonly string[],
): MissionPresence {
  const window = pickWindow(scene, windows, below, titles)
  return {
    presence: window ? 'windowed' : 'terminal',
    window: window && { ...window, startTime: owner.startTime },
    editorType: owner.name,
    isUncertain: false,
  }
}

/**
 * Picks one of several windows of a process: by the id that the terminal gave its child (`WINDOWID`), else by the
 * first of the texts that appears in exactly one title. An id that matches none of these windows was inherited from
 * another terminal.
 */
function pickWindow(
  { windowIdOf }: Scene,
  windows: readonly Window[],
  below: readonly Process[],
  titles: readonly string[],
): Window | null {
  if (windows.length === 1) return windows[0]!
  for (const { pid } of below) {
    const id = windowIdOf(pid)
    const named = windows.find(window => window.id === id)
    if (named) return named
  }
  for (const text of titles) {
    const titled = windows.filter(window => text !== '' && window.title.includes(text))
    if (titled.length === 1) return titled[0]!
  }
  return null
}

function isRemoteLogin(name: string): boolean {
  return name === 'sshd' || name === 'sshd-session' || name === 'mosh-server'
}

function clientsShowing(scene: Scene, tty: string): { isPane: boolean; clients: TmuxClient[] } {
  const panes = scene.tmux.flatMap(({ panes, clients }) =>
    panes
      .filter(pane => pane.tty === tty)
      .map(pane => clients.filter(client => client.session === pane.session)),
  )
  return { isPane: panes.length > 0, clients: panes.flat() }
}

/** tmux counts in seconds. Of two clients used in the same second, the later in its list attached later. */
function lastActive(clients: readonly TmuxClient[]): TmuxClient | undefined {
  return clients.reduce<TmuxClient | undefined>(
    (latest, client) => (latest && latest.activity > client.activity ? latest : client),
    undefined,
  )
}

function unseen(presence: Presence): MissionPresence {
  return { presence, window: null, editorType: null, isUncertain: false }
}

function withoutWindow(scene: Scene, presence: Presence): MissionPresence {
  return { ...unseen(presence), isUncertain: scene.windows === null }
}
