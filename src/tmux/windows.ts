import type { Context } from '../context.ts'
import { AgencError } from '../errors.ts'
import type { MissionId } from '../mission-id.ts'
import { explainCrash, markExplaining, oldWindowsOf } from './after-crash.ts'
import {
  callerOn,
  type OpenCurrentWindow,
  sessionName,
  sessionTarget,
  type WindowId,
} from './current-window.ts'
import { sameLabel, windowStyle } from './status-style.ts'
import { drawn, literal, type Tmux, type TmuxCommand } from './tmux.ts'
import { type Answer, refusal } from './tmux-answer.ts'

/** The names and columns under which tmux shows a mission's window. */
export interface WindowLabels {
  missionId: MissionId
  windowName: string
  /** What the status line draws. */
  label: string
  /** The columns of the switcher. */
  shortId: string
  repo: string
  name: string
  changes: string
}

export interface NewWindow {
  labels: WindowLabels
  directory: string
  /** The program and its arguments. tmux runs them without a shell. */
  command: readonly string[]
  environment: Record<string, string>
  parent: WindowId | null
  /** The window to open this one after, or null for the end of the session. */
  after: WindowId | null
  focus: boolean
  /** The command that starts agenc. */
  self: readonly string[]
  /** The mission has run before. Its old window may still show why it ended, or have panes of the user. */
  isOld?: boolean
}

/** A window that was just opened, with the process of its program. */
export interface OpenedWindow {
  window: WindowId
  pid: number
}

/** Opens a mission's window. Its identity is set in the same call that creates it. */
export function openWindow(tmux: Tmux, wish: NewWindow): OpenedWindow {
  const commands = commandsToOpen(tmux, wish)
  return windowOf(tmux, wish, commands, tmux.ask(...commands))
}

/** Like `openWindow`, but in the tmux call that found the current window. */
export async function openWindowFrom(
  { tmux, continueWith }: OpenCurrentWindow,
  wish: NewWindow,
): Promise<OpenedWindow> {
  const commands = commandsToOpen(tmux, wish)
  const answer = await continueWith(...commands)
  // If the waiting tmux client was killed, but not the server, no window id is printed and none was opened. After a
  // time-out, tmux may still open it.
  const isLost = answer.kind === 'failed' && !answer.timedOut && openedIn(answer.lines) === undefined
  return windowOf(tmux, wish, commands, isLost ? tmux.ask(...commands) : answer)
}

function commandsToOpen(tmux: Tmux, wish: NewWindow): TmuxCommand[] {
  const { labels, after } = wish
  const old = wish.isOld ? oldWindowsOf(tmux, [labels.missionId]) : []
  const pane = old.find(({ explaining }) => explaining !== null)?.explaining
  if (pane) return commandsToReuse(pane, wish)
  return [
    ...old.flatMap(({ window }) => forgetMission(window)),
    [
      'new-window',
      ...(after === null ? ['-t', `${sessionTarget}:`] : ['-a', '-t', `${sessionTarget}:${after}`]),
      ...(wish.focus ? [] : ['-d']),
      ...['-P', '-F', openedFormat, '-n', labels.missionId, ...program(wish)],
    ],
    // The window's id is not known yet, but at this moment its name is unique.
    ...becomeMission(`${sessionTarget}:=${labels.missionId}`, wish),
  ]
}

/** Runs the mission in the pane that shows why it ended. */
function commandsToReuse(pane: string, wish: NewWindow): TmuxCommand[] {
  return [
    ['respawn-pane', '-k', '-t', pane, ...program(wish)],
    ...becomeMission(pane, wish),
    ...(wish.focus ? [['select-window', '-t', pane]] : []),
    ['display-message', '-p', '-t', pane, openedFormat],
  ]
}

const openedFormat = '#{window_id} #{pane_pid}'

function program({
  directory,
  environment,
  command,
}: Pick<NewWindow, 'directory' | 'environment' | 'command'>): string[] {
  const variables = Object.entries(environment).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  return ['-c', literal(directory), ...variables, ...command]
}

function windowOf(
  tmux: Tmux,
  wish: NewWindow,
  commands: readonly TmuxCommand[],
  answer: Answer,
): OpenedWindow {
  const opened = answer.kind === 'no-server' ? undefined : openedIn(answer.lines)
  if (answer.kind !== 'ok') {
    if (opened === undefined) throw refusal(answer, commands)
    // The window exists, but one of the user's tmux hooks renamed it before it could be found by its name.
    tmux.tell(...becomeMission(opened.window, wish))
  }
  return opened!
}

/** Finds the window among lines that the user's tmux hooks may have printed. */
function openedIn(lines: readonly string[]): OpenedWindow | undefined {
  const [window, pid] = lines.find(line => /^@\d+ \d+$/.test(line))?.split(' ') ?? []
  return window === undefined ? undefined : { window: window as WindowId, pid: Number(pid) }
}

export interface OtherWindow {
  name: string
  after: WindowId
  directory: string
  command: readonly string[]
  environment: Record<string, string>
}

/** Opens a window that belongs to no mission, and goes there. */
export function openOtherWindow(tmux: Tmux, { name, after, ...wish }: OtherWindow): void {
  tmux.tell(['new-window', '-a', '-t', `${sessionTarget}:${after}`, '-n', literal(name), ...program(wish)])
}

/** Turns a window into a mission's window. The name comes last, because the target may be the old name. */
export function becomeMission(
  target: string,
  { labels, parent, self, environment }: Pick<NewWindow, 'labels' | 'parent' | 'self' | 'environment'>,
): TmuxCommand[] {
  const options = {
    '@agenc_state': 'starting',
    ...(parent === null ? {} : { '@agenc_parent_window': parent }),
    ...labelOptions(labels),
    'automatic-rename': 'off',
    'allow-rename': 'off',
    'remain-on-exit': 'off',
  }
  return [
    ...claimForMission(target, labels.missionId),
    ...setOptions(target, options),
    markExplaining(target, false),
    ...explainCrash(self, target, labels.missionId, environment),
    ['rename-window', '-t', target, literal(labels.windowName)],
  ]
}

/** Marks the window again as the mission's: a wrapper that failed to get the lease may have removed the mark. */
export function claimForMission(target: string, missionId: MissionId): TmuxCommand[] {
  return setOptions(target, { '@agenc_mission_uuid': missionId, ...windowStyle })
}

/** For a window that stays open without its mission, because the user has panes in it or must read an error. */
export function forgetMission(window: string): TmuxCommand[] {
  const options = ['@agenc_mission_uuid', '@agenc_state', '@agenc_done', '@agenc_hold', '@agenc_label']
  return [...options, ...Object.keys(windowStyle)].map(name => ['set-option', '-wu', '-t', window, name])
}

export function renameMissionWindow(window: string, labels: WindowLabels): TmuxCommand[] {
  return [
    ...setOptions(window, labelOptions(labels)),
    ['rename-window', '-t', window, literal(labels.windowName)],
  ]
}

export function showChanges(window: string, { changes }: WindowLabels): TmuxCommand[] {
  return setOptions(window, { '@agenc_changes': changes })
}

function setOptions(target: string, options: Record<string, string>): TmuxCommand[] {
  return Object.entries(options).map(([name, value]) => ['set-option', '-w', '-t', target, name, value])
}

function labelOptions({ shortId, repo, name, label, changes }: WindowLabels): Record<string, string> {
  return {
    '@agenc_short_id': shortId,
    '@agenc_repo': repo,
    '@agenc_name': name,
    '@agenc_changes': changes,
    '@agenc_label': drawn(label),
    '@agenc_same_label': sameLabel(drawn(label)),
  }
}

export interface MissionWindow {
  id: WindowId
  /** Its number in the agenc session, which leads to it after the prefix. Null for a window of another session. */
  number: string | null
  /** Claude has finished a turn since the user last looked at the window. */
  isDone: boolean
}

/** Asks once for the windows of all missions. Returns null if tmux does not answer. */
export function missionWindows(tmux: Tmux): Map<MissionId, WindowId> | null {
  const windows = missionWindowsInFull(tmux)
  return windows && new Map([...windows].map(([mission, { id }]) => [mission, id]))
}

/** Does the same, with all that lists show of a window. */
export function missionWindowsInFull(tmux: Tmux): Map<MissionId, MissionWindow> | null {
  const answer = tmux.ask(listMissionWindows)
  if (answer.kind === 'no-server') return new Map()
  return answer.kind === 'failed' ? null : windowsInFull(answer.lines)
}

/** The windows in which Claude has finished since the user last looked. */
export function unseenWindows(tmux: Tmux): string[] {
  const answer = tmux.ask(['list-windows', '-a', '-F', '#{?@agenc_done,#{window_id},}'])
  return answer.kind === 'ok' ? answer.lines.filter(window => window !== '') : []
}

export function windowsUnknown(): AgencError {
  return new AgencError('tmux does not answer, so its windows are unknown', "Check that 'tmux ls' works.")
}

export const listMissionWindows: TmuxCommand = [
  'list-windows',
  '-a',
  '-F',
  `#{window_id}\t#{@agenc_mission_uuid}\t#{?@agenc_done,1,}\t#{?#{==:#{session_name},${sessionName}},#{window_index},}`,
]

export function windowsIn(lines: readonly string[]): Map<MissionId, WindowId> {
  return new Map([...windowsInFull(lines)].map(([mission, { id }]) => [mission, id]))
}

/** A window that is linked into several sessions is listed once for each. The agenc session knows its number. */
function windowsInFull(lines: readonly string[]): Map<MissionId, MissionWindow> {
  const windows = new Map<MissionId, MissionWindow>()
  for (const line of lines) {
    const [id, mission, isDone, number] = line.split('\t') as [WindowId, MissionId, string, string]
    if (!mission || windows.get(mission)?.number) continue
    windows.set(mission, { id, number: number || null, isDone: isDone === '1' })
  }
  return windows
}

/**
 * Selects a window for all clients of the session. A caller in another session of the same server is switched to it. A
 * caller outside tmux gets a message that says how to attach.
 */
export function goToWindow(context: Context, tmux: Tmux, window: WindowId): void {
  const caller = callerOn(tmux, context.env)
  bringToFront(tmux, window, caller)
  if (caller === null) context.err.line('Selected in the agenc session. Go there with: agenc tmux attach')
}

/** Switches the client of `caller` to the session. A caller inside the session, such as an agent, moves no client. */
export function bringToFront(tmux: Tmux, window: WindowId, caller: string | null): void {
  const answer = tmux.ask(
    ['select-window', '-t', window],
    ...(caller === null ? [] : [fromOtherSession(caller, `switch-client -t ${window}`)]),
  )
  // A script, or a session without clients, has no client to switch.
  if (answer.kind === 'ok' || (answer.kind === 'failed' && /no current client/.test(answer.message))) return
  tmux.tell(['select-window', '-t', window])
}

/** Lets tmux compare the caller's session, which saves a second call. */
function fromOtherSession(caller: string, command: string): TmuxCommand {
  return ['if-shell', '-F', '-t', caller, `#{==:#{session_name},${sessionName}}`, '', command]
}
