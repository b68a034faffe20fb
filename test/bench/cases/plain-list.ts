import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'

/**
 * `plain-list <project>`: the floor of `agenc mission ls --json` with many missions. It prints the same text in the
 * simplest way, for a home without settings. It must not import anything from src.
 */
interface StoredRow {
  [column: string]: string | number | null
  id: string
  name: string | null
  repo: string | null
  wrapper_pid: number | null
}

const [project = ''] = process.argv.slice(2)
const home = process.env.AGENC_DIRPATH!

const db = new Sqlite(join(home, 'database.sqlite'), {
  readonly: true,
  nativeBinding: join(project, 'node_modules', 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node'),
})
const missions = db
  .prepare<[], StoredRow>('SELECT * FROM missions WHERE archived_at IS NULL ORDER BY last_active_at DESC, id')
  .all()
const plans = db
  .prepare<[], { mission_id: string; path: string }>('SELECT mission_id, path FROM plans ORDER BY at, path')
  .all()
const requests = db
  .prepare<[], { id: number; mission_id: string; tool: string; input: string; at: string }>(
    'SELECT id, mission_id, tool, input, at FROM approvals WHERE decided_by IS NULL ORDER BY id',
  )
  .all()

const format = '#{window_id}\t#{@agenc_mission_uuid}\t#{?@agenc_done,1,}'
const { stdout } = spawnSync('tmux', ['list-windows', '-a', '-F', format], { encoding: 'utf8' })
const windows = new Map(
  stdout
    .split('\n')
    .map(line => line.split('\t'))
    .map(([window, mission, done]) => [mission, { window, isDone: done === '1' }]),
)

writeFileSync(1, `${JSON.stringify(missions.map(missionJson))}\n`)

function missionJson(mission: StoredRow) {
  const isRunning = isAlive(mission.wrapper_pid)
  const isWaiting = isRunning && mission.state === 'waiting'
  return {
    id: mission.id,
    short_id: mission.id.slice(0, 8),
    name: mission.name,
    about: mission.about,
    repo: mission.repo,
    display: mission.name ?? mission.repo?.replace(/^github\.com\//, '') ?? '(blank)',
    status: isRunning ? 'running' : mission.ended_by === 'lost' ? 'crashed' : 'stopped',
    state: isRunning ? (mission.state ?? 'starting') : null,
    waiting_for: isWaiting ? mission.waiting_for : null,
    waiting_since: isWaiting ? mission.waiting_since : null,
    background: isRunning && mission.background === 1,
    done_unseen: isRunning && mission.state === 'idle' && (windows.get(mission.id)?.isDone ?? false),
    permission_mode: mission.permission_mode ?? mission.reported_permission_mode,
    permission_mode_source: mission.permission_mode ? 'mission' : 'claude',
    approve: mission.approve ?? 'ask',
    model: mission.model,
    session_id: mission.session_id,
    parent_id: mission.parent_id,
    tmux_window: (isRunning && windows.get(mission.id)?.window) || null,
    wrapper_pid: isRunning ? mission.wrapper_pid : null,
    claude_pid: isRunning ? mission.claude_pid : null,
    dir: join(home, 'missions', mission.id, 'agent'),
    created_at: mission.created_at,
    last_active_at: mission.last_active_at,
    last_exit:
      mission.exit_at === null
        ? null
        : { code: mission.exit_code, signal: mission.exit_signal, at: mission.exit_at },
    pending: isRunning
      ? requests
          .filter(({ mission_id }) => mission_id === mission.id)
          .map(({ id, tool, input, at }) => ({ id: String(id), tool, input: JSON.parse(input), since: at }))
      : [],
    plans: plans.filter(({ mission_id }) => mission_id === mission.id).map(({ path }) => path),
  }
}

function isAlive(pid: number | null): boolean {
  if (pid === null) return false
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
