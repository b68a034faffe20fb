import type { MissionId } from '../../../src/mission-id.ts'
import { isTaken } from '../../../src/system/process-identity.ts'
import { systemRunner } from '../../../src/system/runner.ts'
import type { WindowId } from '../../../src/tmux/current-window.ts'
import { type Tmux, tmuxAt } from '../../../src/tmux/tmux.ts'
import { openWindow } from '../../../src/tmux/windows.ts'
import { wrapperCommand } from '../../../src/wrapper/launch.ts'
import type { Box } from './box.ts'
import { agencScript } from './root.ts'
import { markRunning, type NamedMission } from './store.ts'
import { until } from './timing.ts'

export const columns = 160
export const lines = 48

/** What the first window shows, so that it is known again. */
export const homeText = 'home-window'

/** The agenc session on a tmux server of the box's own. */
export interface Session {
  tmux: Tmux
  home: WindowId
  serverPid: number
  /** The environment of a program in the first window. */
  inside: NodeJS.ProcessEnv
}

const forever = '1000000'

export function openSession(box: Box): Session {
  const environment = ['-e', 'AGENC_TMUX=1', '-e', `AGENC_DIRPATH=${box.paths.home}`]
  const size = ['-x', String(columns), '-y', String(lines)]
  box.tmux('new-session', '-d', '-s', 'agenc', ...size, ...environment, ...showAndStay(homeText))
  // Otherwise what comes from one quick hand would be taken for pasted text.
  box.tmux('set-option', '-g', 'assume-paste-time', '0')
  box.leftovers.add(() => endServer(box))
  const facts = ['#{socket_path}', '#{pid}', '#{s/[$]//:session_id}', '#{pane_id}', '#{window_id}'].join('\t')
  const [socket, pid, number, pane, home] = box.tmux('display-message', '-p', facts).trim().split('\t')
  const inside = { AGENC_TMUX: '1', TMUX: [socket, pid, number].join(','), TMUX_PANE: pane! }
  return {
    tmux: tmuxAt(systemRunner, box.env, socket!),
    home: home as WindowId,
    serverPid: Number(pid),
    inside,
  }
}

/** Resolves when the server is gone, and every window's program with it. */
export async function endServer(box: Box): Promise<void> {
  const asked = systemRunner.capture('tmux', ['list-panes', '-a', '-F', '#{pane_pid}\n#{pid}'], {
    env: box.env,
  })
  const pids = new Set(asked.stdout.split('\n').filter(Boolean).map(Number))
  systemRunner.capture('tmux', ['kill-server'], { env: box.env })
  await until('tmux and its programs have ended', () => ![...pids].some(isTaken))
}

/** A program that shows a text and does nothing more. */
export function showAndStay(text: string): string[] {
  return ['/bin/sh', '-c', `printf '%s' "$1"; exec sleep ${forever}`, 'sh', text]
}

export function wrapperOf({ id }: NamedMission): string[] {
  return wrapperCommand({ self: [process.execPath, agencScript] }, { id })
}

/** A mission's window as agenc makes it, with any program in it. */
export function openMissionWindow(
  box: Box,
  { tmux }: Session,
  mission: NamedMission,
  command: readonly string[],
): WindowId {
  return openWindow(tmux, {
    mission,
    directory: box.paths.mission(mission.id).agent,
    command,
    environment: { AGENC_MISSION_UUID: mission.id },
    parent: null,
    after: null,
    focus: false,
  })
}

/** Windows of missions that seem to run: what a list shows of them is real, only the wrapper is not. */
export async function openQuietWindows(
  box: Box,
  session: Session,
  missions: readonly NamedMission[],
): Promise<Map<MissionId, WindowId>> {
  const windows = new Map(
    missions.map(mission => [mission.id, openMissionWindow(box, session, mission, showAndStay(mission.id))]),
  )
  const format = '#{@agenc_mission_uuid}\t#{pane_pid}'
  const panes = session.tmux.tell(['list-panes', '-s', '-t', '=agenc:', '-F', format])
  const pids = panes.map(line => line.split('\t') as [MissionId, string]).filter(([id]) => windows.has(id))
  await markRunning(box, new Map(pids.map(([id, pid]) => [id, Number(pid)])))
  return windows
}
