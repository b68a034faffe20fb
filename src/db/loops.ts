import type { Database } from 'better-sqlite3'
import type { MissionId } from '../mission-id.ts'

/** `running` is stored while a runner has the loop, and stays if the runner is killed. The others are final. */
export type LoopStatus =
  | 'running'
  | 'succeeded'
  | 'max_rounds'
  | 'timeout'
  | 'stalled'
  | 'limit'
  | 'stopped'
  | 'failed'

/** What the user asked for. */
export interface LoopWish {
  prompt: string
  /** A command for the shell, or a program with its arguments. The loop ends when it succeeds. */
  until: string | string[]
  /** The most rounds, and the longest time, of one run of the loop. */
  max: number
  timeout_ms: number
  check_timeout_ms: number
  /** Each round has a conversation of its own. */
  is_fresh: boolean
  /** The mission has a window. */
  has_window: boolean
  /** There is a first round even if the command succeeds before it. */
  is_forced: boolean
}

/**
 * How a turn of Claude ended. `interrupted`: the user ended it. `ended`: the mission ended first. `cut`: it had ended while
 * no runner had the loop.
 */
export type TurnEnd = 'turn' | 'limit' | 'error' | 'interrupted' | 'ended' | 'cut'

export interface Changes {
  files: number
  insertions: number
  deletions: number
}

/** One round: Claude gets a prompt and works, then the check runs. */
export interface Round {
  n: number
  started_at: string
  /** The conversation that the round begins. Null to continue the one before. */
  session_id: string | null
  /** Names the state of the files before the turn, and after it. */
  before: string
  after: string | null
  /** What the conversation had cost before. */
  cost_before: number
  /** The number of the mission's last event before the prompt was stored. */
  since_event: number
  /** The message that carries the prompt. Null until it is stored. */
  message_id: number | null
  turn: { ended_by: TurnEnd; failure: string | null } | null
  changes: Changes | null
  cost_usd: number | null
  check: CheckResult | null
  ended_at: string | null
}

export interface CheckResult {
  /** Null if a signal ended it, or its time ran out. */
  exit: number | null
  signal: string | null
  is_time_up: boolean
  duration_ms: number
  /** The end of its output. */
  output: string
}

export interface LoopRecord {
  id: string
  mission_id: MissionId
  status: LoopStatus
  /** Why it ended, for people. */
  reason: string | null
  /** When Claude's usage limit ends, if that has ended the loop. */
  resets_at: string | null
  wish: LoopWish
  rounds: Round[]
  runner_pid: number | null
  runner_start: string | null
  check_pid: number | null
  check_start: string | null
  /** When its present or last run began, and the number of rounds that were complete then. */
  run_at: string
  run_from: number
  created_at: string
  ended_at: string | null
}

type Row = Omit<LoopRecord, 'wish' | 'rounds'> & { wish: string; rounds: string }

export type LoopChange = Partial<Omit<LoopRecord, 'id' | 'mission_id' | 'created_at'>>

export function insertLoop(
  db: Database,
  loop: Pick<LoopRecord, 'id' | 'mission_id' | 'wish' | 'runner_pid' | 'runner_start' | 'created_at'>,
): void {
  db.prepare(
    `INSERT INTO loops (id, mission_id, wish, runner_pid, runner_start, created_at, run_at)
     VALUES (@id, @mission_id, @wish, @runner_pid, @runner_start, @created_at, @created_at)`,
  ).run({ ...loop, wish: JSON.stringify(loop.wish) })
}

export function getLoop(db: Database, id: string): LoopRecord | undefined {
  const row = db.prepare<[string], Row>('SELECT * FROM loops WHERE id = ?').get(id)
  return row && parsed(row)
}

/** The newest comes first. Loops of missions that were deleted by `rm` are left out. */
export function listLoops(db: Database): LoopRecord[] {
  return db
    .prepare<[], Row>(
      `SELECT loops.* FROM loops JOIN missions ON missions.id = mission_id
       WHERE removed_at IS NULL ORDER BY loops.created_at DESC, loops.rowid DESC`,
    )
    .all()
    .map(parsed)
}

export function loopsOf(db: Database, mission: MissionId): LoopRecord[] {
  return db.prepare<[MissionId], Row>('SELECT * FROM loops WHERE mission_id = ?').all(mission).map(parsed)
}

export function updateLoop(db: Database, id: string, change: LoopChange): void {
  const columns = Object.keys(change).map(column => `${column} = @${column}`)
  const values = Object.entries(change).map(([column, value]) => [
    column,
    column === 'rounds' || column === 'wish' ? JSON.stringify(value) : value,
  ])
  db.prepare(`UPDATE loops SET ${columns} WHERE id = @id`).run({ ...Object.fromEntries(values), id })
}

function parsed(row: Row): LoopRecord {
  return { ...row, wish: JSON.parse(row.wish), rounds: JSON.parse(row.rounds) }
}
