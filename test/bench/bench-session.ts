import { join } from 'node:path'
import type { MissionRecord } from '../../src/db/missions.ts'
import { listMissions } from '../../src/db/missions.ts'
import { type Database, openStore } from '../../src/db/open-store.ts'
import { windowLabels } from '../../src/mission/naming.ts'
import type { MissionId } from '../../src/mission-id.ts'
import { isTaken } from '../../src/system/process-identity.ts'
import { systemRunner } from '../../src/system/runner.ts'
import type { WindowId } from '../../src/tmux/current-window.ts'
import { type Tmux, tmuxAt } from '../../src/tmux/tmux.ts'
import { openWindow } from '../../src/tmux/windows.ts'
import { agencScript, type Box, projectRoot, until } from './box.ts'
import { markRunning, type StoredMission, storeMissions } from './stored-missions.ts'

export const columns = 160
export const lines = 48

/** The first window shows this text, so that it can be recognised on a screen. */
export const homeText = 'home-window'

/** The agenc session on the box's own tmux server. */
export interface Session {
  tmux: Tmux
  home: WindowId
  serverPid: number
  /** The environment of a program in the first window. */
  inside: NodeJS.ProcessEnv
}

export function openSession(box: Box): Session {
  const environment = ['-e', 'AGENC_TMUX=1', '-e', `AGENC_DIRPATH=${box.paths.home}`]
  const size = ['-x', String(columns), '-y', String(lines)]
  box.tmux('new-session', '-d', '-s', 'agenc', ...size, ...environment, ...showAndStay(homeText))
  // Keys that arrive faster than this time are taken for pasted text, which runs no key bindings.
  box.tmux('set-option', '-g', 'assume-paste-time', '0')
  box.cleanup.add(() => endServer(box))
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

/** Resolves when the server and the programs in its windows have ended. */
export async function endServer(box: Box): Promise<void> {
  const listed = systemRunner.capture('tmux', ['list-panes', '-a', '-F', '#{pane_pid}\n#{pid}'], {
    env: box.env,
  })
  const pids = new Set(listed.stdout.split('\n').filter(Boolean).map(Number))
  systemRunner.capture('tmux', ['kill-server'], { env: box.env })
  await until('tmux and its programs have ended', () => ![...pids].some(isTaken))
}

/** A command that shows a text and then does nothing. */
function showAndStay(text: string): string[] {
  return ['/bin/sh', '-c', `printf '%s' "$1"; exec sleep 1000000`, 'sh', text]
}

/** Opens a window as agenc does for a mission, with any command in it. */
function openMissionWindow(
  box: Box,
  { tmux }: Session,
  mission: StoredMission,
  command: readonly string[],
): WindowId {
  return openWindow(tmux, {
    labels: windowLabels(mission),
    directory: box.paths.mission(mission.id).agent,
    command,
    environment: { AGENC_MISSION_UUID: mission.id },
    self: [process.execPath, agencScript],
    parent: null,
    after: null,
    focus: false,
  }).window
}

/** Opens windows for missions that look as if they were running. The windows are real, the wrappers are not. */
export async function openQuietWindows(
  box: Box,
  session: Session,
  missions: readonly StoredMission[],
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

/** Starting more at once only makes them wait for each other. */
const startedAtOnce = 10

/** Starts missions with real wrappers and waits until the Claude of each is idle. */
export async function startMissions(box: Box, session: Session, count: number): Promise<MissionRecord[]> {
  installIdleClaude(box)
  const missions = await storeMissions(box, count)
  const db = await openStore(box.paths.database)
  try {
    for (let first = 0; first < count; first += startedAtOnce) {
      const batch = missions.slice(first, first + startedAtOnce)
      for (const mission of batch) openMissionWindow(box, session, mission, wrapperCommand(mission))
      await until(`${batch.length} missions are idle`, () => idleAmong(db, batch).length === batch.length)
    }
    return idleAmong(db, missions)
  } finally {
    db.close()
  }
}

function wrapperCommand({ id }: StoredMission): string[] {
  return [process.execPath, agencScript, 'mission', '_run-wrapper', id]
}

function idleAmong(db: Database, missions: readonly { id: string }[]): MissionRecord[] {
  const ids = new Set(missions.map(({ id }) => id))
  return listMissions(db).filter(({ id, state }) => ids.has(id as string) && state === 'idle')
}

const answerVersion = `[ "$1" = --version ] && { echo '2.1.325 (Claude Code)'; exit; }`

/** Makes the script as large as a real program: agenc asks a small file for its version at every start. */
const padding = `#${'-'.repeat(99)}\n`.repeat(1_100)

function installClaude(box: Box, script: readonly string[]): string {
  return box.write(join('bin', 'claude'), ['#!/bin/sh', answerVersion, ...script, padding].join('\n'), 0o755)
}

/** Installs a Claude that creates a file in this directory and ends at once. */
export function installShortLivedClaude(box: Box, directory: string): string {
  return installClaude(box, [`: >'${directory}'/$$`, 'exit 0'])
}

/** A Claude that can be talked to. */
export function installStandIn(box: Box): string {
  const program = join(projectRoot, 'dist', 'stand-in.js')
  return installClaude(box, [`exec '${process.execPath}' '${program}' "$@"`])
}

const status = '{"status":"idle","statusUpdatedAt":1}'
const sessionStart = '{"hook_event_name":"SessionStart","source":"startup"}'

/** Installs a Claude that reports, as the real one does, that it waits for a prompt, and then uses no CPU. */
function installIdleClaude(box: Box): string {
  return installClaude(box, [
    `printf '%s' '${status}' >"$HOME/.claude/sessions/$$.json"`,
    'cd "$AGENC_DIRPATH/missions/$AGENC_MISSION_UUID/run" || exit 1',
    `printf '%s' '${sessionStart}' >ev/$$`,
    'printf . 1<>bell',
    'exec sleep 1000000',
  ])
}
