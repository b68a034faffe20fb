import { existsSync } from 'node:fs'
import { leftTools } from '../claude/left-tools.ts'
import type { Context } from '../context.ts'
import { missionDirectories } from '../db/lost-store.ts'
import { leaseHolder, listMissions, type MissionRecord } from '../db/missions.ts'
import { readStore } from '../db/with-store.ts'
import { isKept } from '../git-work/kept-work.ts'
import { removeFile } from '../io/files.ts'
import { statusesOf } from '../mission/mission-status.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { type ProcessIdentity, systemProbe } from '../system/process-identity.ts'
import { isListening } from '../system/wakeup-fifo.ts'
import type { WindowId } from '../tmux/current-window.ts'
import { tmuxOf } from '../tmux/server.ts'
import { missionWindows } from '../tmux/windows.ts'
import { checkFiles } from './check-leftover-files.ts'
import { type Finding, ok, problem, warning } from './findings.ts'

/** Looks for crashed missions, and for the processes and files that they left behind. */
export async function checkMissions(context: Context): Promise<Finding[]> {
  // Before the store: a mission that is created meanwhile is in the store, but not in these lists.
  const directories = missionDirectories(context.paths.database)
  const windows = missionWindows(tmuxOf(context)) ?? new Map()
  const missions = await storedMissions(context)
  // Without the store, a mission's directory looks like a leftover.
  if (missions === null) return []
  const known = new Set<string>(missions.map(({ id }) => id))
  const dead = missionsWithoutWrapper(context, missions)
  const found = [
    ...strayClaudes(context, dead),
    ...dead.flatMap(mission => strayTools(context, mission)),
    ...crashed(context, missions),
    ...missions.flatMap(mission => withoutFiles(context, mission)),
    ...dead.flatMap(mission => staleBell(context, mission)),
    ...[...windows].filter(([id]) => !known.has(id)).map(([id, window]) => unknownWindow(id, window)),
    ...checkFiles(
      context,
      directories.filter(id => !known.has(id)),
    ),
  ]
  return found.length > 0 ? found : [ok('leftovers', 'crashed missions left nothing behind')]
}

/** Returns null if the store cannot be read. */
async function storedMissions(context: Context): Promise<MissionRecord[] | null> {
  try {
    return await readStore(context, db => (db ? listMissions(db, { archived: true }) : []))
  } catch {
    return null
  }
}

/** Missions that certainly have no wrapper. A wrapper whose state cannot be determined counts as alive. */
function missionsWithoutWrapper(context: Context, missions: readonly MissionRecord[]): MissionRecord[] {
  const held = missions.filter(mission => leaseHolder(mission) !== null)
  const states = systemProbe(context.exec).liveness(held.map(mission => leaseHolder(mission)!))
  const perhapsAlive = new Set(held.filter((_, index) => states[index] !== 'dead').map(({ id }) => id))
  return missions.filter(({ id }) => !perhapsAlive.has(id))
}

function unknownWindow(id: MissionId, window: WindowId): Finding {
  return warning(
    'leftovers',
    `the tmux window ${window} shows mission ${shortId(id)}, which the store does not know`,
    `agenc doctor --fix finds it if its directory still exists; or close it: tmux kill-window -t ${window}`,
  )
}

function strayClaudes(context: Context, dead: readonly MissionRecord[]): Finding[] {
  const claudes = dead.flatMap(mission => {
    const { claude_pid: pid, claude_start: start } = mission
    return pid === null || start === null ? [] : [{ mission, claude: { pid, start } as ProcessIdentity }]
  })
  const states = systemProbe(context.exec).liveness(claudes.map(({ claude }) => claude))
  if (states.includes('unreadable')) return [processesUnknown()]
  return claudes
    .filter((_, index) => states[index] === 'alive')
    .map(({ mission, claude }) =>
      problem(
        'leftovers',
        `the Claude of ${shortId(mission.id)} (process ${claude.pid}) is still running without its wrapper`,
        `'agenc mission resume ${shortId(mission.id)}' ends it and continues the mission; or: kill ${claude.pid}`,
      ),
    )
}

function processesUnknown(): Finding {
  return problem(
    'leftovers',
    'it is unknown whether the Claude of a lost mission is still running: processes cannot be read',
    'Make /proc readable (Linux), or check that ps works.',
  )
}

function crashed(context: Context, missions: readonly MissionRecord[]): Finding[] {
  const lost = statusesOf(context, missions).filter(status => status === 'crashed').length
  if (lost === 0) return []
  const message = lost === 1 ? '1 mission ended unexpectedly' : `${lost} missions ended unexpectedly`
  return [warning('leftovers', message, 'Restore what was running: agenc tmux restore')]
}

/** If the guard was killed too, nothing has ended the tools of a killed Claude. */
function strayTools({ exec }: Context, { id, claude_pid }: MissionRecord): Finding[] {
  const tools = claude_pid === null ? [] : leftTools(exec, id, claude_pid)
  if (tools.length === 0) return []
  return [
    problem(
      'leftovers',
      `tools of ${shortId(id)} are still running without their Claude (${tools.join(', ')})`,
      `'agenc mission resume ${shortId(id)}' ends them and continues the mission; or: kill ${tools.join(' ')}`,
    ),
  ]
}

function withoutFiles(context: Context, mission: MissionRecord): Finding[] {
  const { id, dir, archived_at } = mission
  // The user may delete a worktree once its mission is archived.
  const given = archived_at === null && dir !== null ? [dir] : []
  const root = [context.paths.mission(id).root, ...given].find(path => !existsSync(path))
  // The library gives its own directory back when it is resumed.
  if (root === undefined || isKept(context, mission)) return []
  return [
    warning(
      'leftovers',
      `the directory of mission ${shortId(id)} is gone`,
      `Restore ${root}, or: agenc mission rm ${shortId(id)}`,
    ),
  ]
}

function staleBell(context: Context, { id }: MissionRecord): Finding[] {
  const { wakeup } = context.paths.mission(id)
  if (!existsSync(wakeup)) return []
  return [
    warning('leftovers', `no wrapper reads ${wakeup}`, 'agenc doctor --fix', () => {
      // A wrapper may have started since the check.
      if (isListening(wakeup)) return `left ${wakeup}: a wrapper reads it now`
      removeFile(wakeup)
      return `removed ${wakeup}`
    }),
  ]
}
