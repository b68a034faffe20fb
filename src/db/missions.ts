import type { Database } from 'better-sqlite3'
import type { Approve } from '../config/approve-modes.ts'
import type { MissionId } from '../mission-id.ts'

/**
 * How a run of a mission ended. `failed`: Claude did not start, or ended with an error right after its start. `kill`: the
 * last `tmux kill` ended it.
 */
export type EndedBy = 'user' | 'lost' | 'failed' | 'kill'

export type State = 'starting' | 'idle' | 'busy' | 'waiting'
export type WaitingFor = 'permission' | 'question' | 'plan' | 'trust' | 'input'

/**
 * A row of the missions table. Columns, fields and the keys of the published JSON share one set of names.
 */
export interface MissionRecord {
  id: MissionId
  name: string | null
  /** The first line of the first prompt, without secrets. */
  about: string | null
  repo: string | null
  parent_id: MissionId | null
  /**
   * JSON: the repos of the missions whose Claudes led to this one, the first of them first; null for a blank one. Null if
   * a person has started it.
   */
  agent_repos: string | null
  created_at: string
  last_active_at: string
  archived_at: string | null
  /** The repo's setup has not yet succeeded in this working copy. */
  setup_pending: 0 | 1

  /** The directory that the user gave it with `--dir`. Null for a working copy of its own. */
  dir: string | null
  /** JSON: how its working copy is made when it starts. Null once the copy is there. */
  copy_pending: string | null
  /** It was deleted by `rm`, but the library still has its work. It is in no list. */
  removed_at: string | null

  /** The branch that it works on. Null if it has no repo, or HEAD is detached. */
  branch: string | null
  /** The ref that it started from, as the user or the remote names it, with the commit and its time. */
  base_ref: string | null
  base_commit: string | null
  base_at: string | null
  /** The first of its ten ports. */
  first_port: number | null
  /** JSON: what it has changed since its base, as `ChangesJson`. */
  changes: string | null
  /** JSON: the missions, and `base`, that its work would conflict with, each with the files. */
  conflicts: string | null
  pr_number: number | null
  pr_url: string | null

  /** The user's choices for this mission. Null means that the settings apply. */
  permission_mode: string | null
  approve: Approve | null
  model: string | null
  /** 1 if its Claude may answer the permission requests of missions that it has started. */
  may_answer: 0 | 1

  /** Claude's current conversation. A fork also has the conversation it branched off from. */
  session_id: string
  /** 1 once the conversation has a message. Claude cannot resume it before that. */
  session_begun: 0 | 1
  forked_session_id: string | null
  transcript_path: string | null
  reported_permission_mode: string | null

  /** The lease: set while a wrapper runs, and still set after a wrapper was killed. */
  wrapper_pid: number | null
  wrapper_start: string | null
  claude_pid: number | null
  claude_start: string | null
  heartbeat_at: string | null
  state: State | null
  waiting_for: WaitingFor | null
  waiting_since: string | null
  background: 0 | 1

  /** 1 if its Claude runs without a terminal. */
  headless: 0 | 1
  /** JSON: how long a run without a terminal, and its requests, may take, as `HeadlessLimits`. */
  headless_limits: string | null
  /** JSON: how the last turn of a run without a terminal ended, as `ResultJson`. */
  result: string | null
  /** When Claude's usage limit ends, if it has stopped the mission. */
  resets_at: string | null
  /** The beginning of what Claude said last. The whole text is in a file of the mission. */
  last_message: string | null

  exit_code: number | null
  exit_signal: string | null
  exit_at: string | null
  ended_by: EndedBy | null
  /** JSON: the keys of hook events that are stored but may still be in the spool. */
  spool_done: string | null
}

/** Returns the process that holds the mission's lease, or null if no process does. */
export function leaseHolder(mission: MissionRecord): { pid: number; start: string } | null {
  if (mission.wrapper_pid === null || mission.wrapper_start === null) return null
  return { pid: mission.wrapper_pid, start: mission.wrapper_start }
}

/** The columns that a new mission starts with. All others have their defaults. */
export type NewMission = Pick<
  MissionRecord,
  | 'id'
  | 'name'
  | 'about'
  | 'repo'
  | 'parent_id'
  | 'created_at'
  | 'permission_mode'
  | 'approve'
  | 'model'
  | 'session_id'
  | 'forked_session_id'
  | 'setup_pending'
  | 'may_answer'
>

export function insertMission(db: Database, mission: NewMission): void {
  db.prepare(
    `INSERT INTO missions
       (id, name, about, repo, parent_id, created_at, last_active_at, permission_mode, approve, model,
        session_id, forked_session_id, setup_pending, may_answer)
     VALUES
       (@id, @name, @about, @repo, @parent_id, @created_at, @created_at, @permission_mode, @approve, @model,
        @session_id, @forked_session_id, @setup_pending, @may_answer)`,
  ).run(mission)
}

/** The columns that a mission's wrapper keeps up to date. Other processes may have changed all others. */
const ofWrapper = [
  'last_active_at',
  'session_id',
  'session_begun',
  'transcript_path',
  'reported_permission_mode',
  'wrapper_pid',
  'wrapper_start',
  'claude_pid',
  'claude_start',
  'heartbeat_at',
  'state',
  'waiting_for',
  'waiting_since',
  'background',
  'ended_by',
  'spool_done',
  'result',
  'resets_at',
  'last_message',
] as const satisfies readonly (keyof MissionRecord)[]

/** Stores a mission as its wrapper knows it, whether this store has it or not. */
export function putMission(db: Database, mission: MissionRecord): void {
  const columns = Object.keys(mission)
  db.prepare(
    `INSERT INTO missions (${columns}) VALUES (${columns.map(column => `@${column}`)})
     ON CONFLICT (id) DO UPDATE SET ${ofWrapper.map(column => `${column} = excluded.${column}`)}`,
  ).run(mission)
}

/** A mission that was deleted by `rm` counts as none, unless `removed` asks for it. */
export function getMission(db: Database, id: MissionId, { removed = false } = {}): MissionRecord | undefined {
  const mission = db.prepare<[MissionId], MissionRecord>('SELECT * FROM missions WHERE id = ?').get(id)
  return mission && (removed || mission.removed_at === null) ? mission : undefined
}

/** The missions that were deleted by `rm`, but whose work the library still has. The last one to go comes first. */
export function listRemovedMissions(db: Database): MissionRecord[] {
  return db
    .prepare<[], MissionRecord>(
      'SELECT * FROM missions WHERE removed_at IS NOT NULL ORDER BY removed_at DESC, id',
    )
    .all()
}

/**
 * The most recently active mission comes first. SQLite returns all rows as one JSON text: for a thousand missions that
 * takes a third of the time of reading them row by row.
 */
export function listMissions(db: Database, { archived = false } = {}): MissionRecord[] {
  const columns = db.prepare<[], string>("SELECT name FROM pragma_table_info('missions')").pluck().all()
  const fields = columns.map(name => `'${name}', ${name}`)
  const where = `WHERE removed_at IS NULL${archived ? '' : ' AND archived_at IS NULL'}`
  const listed = db.prepare<[], string>(
    `SELECT json_group_array(json_object(${fields}) ORDER BY last_active_at DESC, id) FROM missions ${where}`,
  )
  return JSON.parse(listed.pluck().get()!)
}

/** The missions with a lease, including those whose wrapper was killed. */
export function listHeldMissions(db: Database): MissionRecord[] {
  return db
    .prepare<[], MissionRecord>('SELECT * FROM missions WHERE wrapper_pid IS NOT NULL AND removed_at IS NULL')
    .all()
}

/** The missions that were created between these times, and have not run yet. */
export function listUnstartedMissions(db: Database, since: string, until: string): MissionRecord[] {
  return db
    .prepare<[string, string], MissionRecord>(
      `SELECT * FROM missions WHERE created_at BETWEEN ? AND ? AND wrapper_pid IS NULL AND exit_at IS NULL
       AND ended_by IS NULL AND archived_at IS NULL AND removed_at IS NULL`,
    )
    .all(since, until)
}

export function missionsOnRepo(db: Database, repo: string): MissionRecord[] {
  return db
    .prepare<[string], MissionRecord>(
      'SELECT * FROM missions WHERE repo = ? AND removed_at IS NULL ORDER BY last_active_at DESC',
    )
    .all(repo)
}

/** The first ports of all other missions that have ports. */
export function listFirstPorts(db: Database, { except }: { except: MissionId }): number[] {
  return db
    .prepare<[MissionId], number>(
      'SELECT first_port FROM missions WHERE first_port IS NOT NULL AND removed_at IS NULL AND id <> ?',
    )
    .pluck()
    .all(except)
}

/** The missions that were given this directory, unless they are archived. */
export function missionsInDirectory(db: Database, dir: string): MissionRecord[] {
  return db
    .prepare<[string], MissionRecord>(
      `SELECT * FROM missions WHERE dir = ? AND archived_at IS NULL AND removed_at IS NULL
       ORDER BY last_active_at DESC`,
    )
    .all(dir)
}

export function countMissionsByRepo(db: Database): Map<string, number> {
  const rows = db
    .prepare<[], { repo: string; missions: number }>(
      'SELECT repo, count(*) AS missions FROM missions WHERE repo IS NOT NULL AND removed_at IS NULL GROUP BY repo',
    )
    .all()
  return new Map(rows.map(({ repo, missions }) => [repo, missions]))
}

export type MissionChange = Partial<Omit<MissionRecord, 'id' | 'created_at'>>

/** Sets only the columns that `change` names. */
export function updateMission(db: Database, id: MissionId, change: MissionChange): void {
  if (Object.keys(change).length === 0) return
  db.prepare(`UPDATE missions SET ${assignments(change)} WHERE id = @id`).run({ ...change, id })
}

/** Changes the mission only if `holder` has its lease. Null stands for no holder. Returns whether it was changed. */
export function updateIfHeldBy(
  db: Database,
  id: MissionId,
  holder: { pid: number; start: string } | null,
  change: MissionChange,
): boolean {
  const { changes } = db
    .prepare(
      `UPDATE missions SET ${assignments(change)}
       WHERE id = @id AND wrapper_pid IS @holder_pid AND wrapper_start IS @holder_start`,
    )
    .run({ ...change, id, holder_pid: holder?.pid ?? null, holder_start: holder?.start ?? null })
  return changes === 1
}

function assignments(change: MissionChange): string {
  return Object.keys(change)
    .map(column => `${column} = @${column}`)
    .join(', ')
}

export function deleteMission(db: Database, id: MissionId): void {
  db.prepare('DELETE FROM missions WHERE id = ?').run(id)
}
