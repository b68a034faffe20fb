import { displayName, displayRepo, windowName } from '../mission/naming.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { type OpenPlace, sessionName, sessionTarget, type WindowId } from './current-window.ts'
import type { OpenCall } from './open-call.ts'
import { windowLooks } from './status-style.ts'
import { drawn, literal, type Tmux, type TmuxCommand } from './tmux.ts'
import { type Answer, refusal } from './tmux-answer.ts'

interface NamedMission {
  id: MissionId
  name: string | null
  repo: string | null
}

export interface NewWindow {
  mission: NamedMission
  directory: string
  /** The program and its arguments: tmux runs them as they are, without a shell. */
  command: readonly string[]
  environment: Record<string, string>
  parent: WindowId | null
  /** After this window; at the end of the session where there is none. */
  after: WindowId | null
  focus: boolean
  /** It was killed together with its wrapper, and may have left a window that the user's own panes keep open. */
  hasCrashed?: boolean
}

/** Opens a mission's window; its identity is set in the very call that creates it. */
export function openWindow(tmux: Tmux, wish: NewWindow): WindowId {
  const commands = openingOf(tmux, wish)
  return opened(tmux, wish, commands, tmux.ask(...commands))
}

/** The same, in the call that told where. */
export async function openWindowAt({ tmux, goOn }: OpenPlace, wish: NewWindow): Promise<WindowId> {
  const commands = openingOf(tmux, wish)
  const answer = await goOn(...commands)
  // Somebody may have ended the call, but not the server: where no window is told of, there is none yet.
  const isLost = answer.kind === 'failed' && windowIn(answer.lines) === undefined
  return opened(tmux, wish, commands, isLost ? tmux.ask(...commands) : answer)
}

function openingOf(tmux: Tmux, wish: NewWindow): TmuxCommand[] {
  const { mission, after } = wish
  const environment = Object.entries(wish.environment).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const lost = wish.hasCrashed ? missionWindows(tmux)?.get(mission.id) : undefined
  return [
    ...(lost === undefined ? [] : forget(lost)),
    [
      'new-window',
      ...(after === null ? ['-t', `${sessionTarget}:`] : ['-a', '-t', `${sessionTarget}:${after}`]),
      ...(wish.focus ? [] : ['-d']),
      ...['-P', '-F', '#{window_id}', '-n', mission.id, '-c', literal(wish.directory)],
      ...environment,
      ...wish.command,
    ],
    // The id is not known yet, but for this moment the name is unique.
    ...becomeMission(`${sessionTarget}:=${mission.id}`, mission, wish.parent),
  ]
}

function opened(
  tmux: Tmux,
  { mission, parent }: NewWindow,
  commands: readonly TmuxCommand[],
  answer: Answer,
): WindowId {
  const window = answer.kind === 'no-server' ? undefined : windowIn(answer.lines)
  if (answer.kind !== 'ok') {
    if (window === undefined) throw refusal(answer, commands)
    // It is there, but a hook of the user's own has renamed it before it could be found.
    tmux.tell(...becomeMission(window, mission, parent))
  }
  return window!
}

/** Beside what a hook of the user's own prints. */
function windowIn(lines: readonly string[]): WindowId | undefined {
  return lines.find(line => /^@\d+$/.test(line)) as WindowId | undefined
}

/** Makes a window a mission's: identity, looks, and at last the name by which it may have been found. */
export function becomeMission(target: string, mission: NamedMission, parent: WindowId | null): TmuxCommand[] {
  const options = {
    '@agenc_state': 'starting',
    ...(parent === null ? {} : { '@agenc_parent_window': parent }),
    ...labels(mission),
    'automatic-rename': 'off',
    'allow-rename': 'off',
    'remain-on-exit': 'off',
  }
  return [
    ...claim(target, mission),
    ...setOptions(target, options),
    ['rename-window', '-t', target, literal(windowName(mission))],
  ]
}

/** By whom the mission is run: of two that were started at once, the other may have had this window forgotten. */
export function claim(target: string, mission: Pick<NamedMission, 'id'>): TmuxCommand[] {
  return setOptions(target, { '@agenc_mission_uuid': mission.id, ...windowLooks })
}

/** No mission runs here any more, but the window stays: for panes of the user's own, or until an error was read. */
export function forget(window: string): TmuxCommand[] {
  return [
    '@agenc_mission_uuid',
    '@agenc_state',
    '@agenc_done',
    'window-status-format',
    'window-status-current-format',
  ].map(name => ['set-option', '-wu', '-t', window, name])
}

export function renameMissionWindow(window: WindowId, mission: NamedMission): TmuxCommand[] {
  return [
    ...setOptions(window, labels(mission)),
    ['rename-window', '-t', window, literal(windowName(mission))],
  ]
}

function setOptions(target: string, options: Record<string, string>): TmuxCommand[] {
  return Object.entries(options).map(([name, value]) => ['set-option', '-w', '-t', target, name, value])
}

/** The columns of the switcher, and the title as the status line draws it. */
function labels(mission: NamedMission): Record<string, string> {
  return {
    '@agenc_short_id': shortId(mission.id),
    '@agenc_repo': mission.repo ? displayRepo(mission.repo) : '(blank)',
    '@agenc_name': mission.name ? displayName(mission) : '',
    '@agenc_title': drawn(windowName(mission)),
  }
}

/** Which window is whose, in one question for any number. null: tmux could not be asked. */
export function missionWindows(tmux: Tmux): Map<MissionId, WindowId> | null {
  const answer = tmux.ask(listMissionWindows)
  if (answer.kind === 'no-server') return new Map()
  return answer.kind === 'failed' ? null : windowsIn(answer.lines)
}

export const listMissionWindows: TmuxCommand = [
  'list-windows',
  '-a',
  '-F',
  '#{window_id}\t#{@agenc_mission_uuid}',
]

export function windowsIn(lines: readonly string[]): Map<MissionId, WindowId> {
  const windows = lines.map(line => line.split('\t') as [WindowId, MissionId])
  return new Map(windows.filter(([, mission]) => mission).map(([window, mission]) => [mission, window]))
}

/** In front for whoever looks at the session, and for a client that asks from another one. */
export async function bringToFront(
  tmux: Tmux,
  window: WindowId,
  caller: string | null,
  ask: Tmux['ask'] | OpenCall['goOn'] = tmux.ask,
): Promise<void> {
  const answer = await ask(
    ['select-window', '-t', window],
    ...(caller === null ? [] : [fromElsewhere(caller, `switch-client -t ${window}`)]),
  )
  // There may be no client to take along: a script, or a session that nobody is attached to.
  if (answer.kind === 'ok' || (answer.kind === 'failed' && /no current client/.test(answer.message))) return
  tmux.tell(['select-window', '-t', window])
}

/** tmux knows itself where its caller is: to ask first would be another call. */
function fromElsewhere(caller: string, command: string): TmuxCommand {
  return ['if-shell', '-F', '-t', caller, `#{==:#{session_name},${sessionName}}`, '', command]
}
