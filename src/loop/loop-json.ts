import type { Changes, LoopRecord, LoopStatus, Round, TurnEnd } from '../db/loops.ts'
import type { MissionId } from '../mission-id.ts'
import { untilInWords } from './round-prompt.ts'

/** `crashed`: its runner was killed. `agenc loop continue` goes on. */
export type ShownStatus = LoopStatus | 'crashed'

/** A loop in the published JSON. All keys are always present. A missing value is null. */
export interface LoopJson {
  id: string
  short_id: string
  mission_id: MissionId
  mission_name: string | null
  status: ShownStatus
  /** Why it ended. */
  reason: string | null
  /** The number of its latest round. 0 before the first one. */
  round: number
  rounds: RoundJson[]
  prompt: string
  until: string
  limits: { max: number; timeout_ms: number; check_timeout_ms: number }
  fresh: boolean
  window: boolean
  /** When Claude's usage limit ends, if that has ended the loop. */
  resets_at: string | null
  cost_usd: number | null
  runner_pid: number | null
  log: string
  created_at: string
  ended_at: string | null
}

export interface RoundJson {
  n: number
  started_at: string
  /** Null while it runs. */
  duration_ms: number | null
  /** How Claude's turn ended. Null until then. */
  ended_by: TurnEnd | null
  /** Claude's word for the error that ended the turn. */
  error: string | null
  /** The exit code of the check. Null until then, or if it was ended. */
  exit: number | null
  /** Whether the turn has changed any file. */
  changed: boolean | null
  changes: Changes | null
  cost_usd: number | null
}

export interface LoopFacts {
  missionName: string | null
  isRun: boolean
  log: string
}

export function shortLoopId(id: string): string {
  return id.slice(0, 8)
}

export function loopJson(loop: LoopRecord, { missionName, isRun, log }: LoopFacts): LoopJson {
  const { wish, rounds } = loop
  const costs = rounds.flatMap(({ cost_usd }) => (cost_usd === null ? [] : [cost_usd]))
  return {
    id: loop.id,
    short_id: shortLoopId(loop.id),
    mission_id: loop.mission_id,
    mission_name: missionName,
    status: loop.status === 'running' && !isRun ? 'crashed' : loop.status,
    reason: loop.reason,
    round: rounds.length,
    rounds: rounds.map(roundJson),
    prompt: wish.prompt,
    until: untilInWords(wish),
    limits: { max: wish.max, timeout_ms: wish.timeout_ms, check_timeout_ms: wish.check_timeout_ms },
    fresh: wish.is_fresh,
    window: wish.has_window,
    resets_at: loop.resets_at,
    cost_usd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    runner_pid: loop.status === 'running' && isRun ? loop.runner_pid : null,
    log,
    created_at: loop.created_at,
    ended_at: loop.ended_at,
  }
}

function roundJson(round: Round): RoundJson {
  const { n, started_at, ended_at, turn, check, before, after, changes, cost_usd } = round
  return {
    n,
    started_at,
    duration_ms: ended_at === null ? null : Date.parse(ended_at) - Date.parse(started_at),
    ended_by: turn?.ended_by ?? null,
    error: turn?.failure ?? null,
    exit: check?.exit ?? null,
    changed: after === null ? null : after !== before,
    changes,
    cost_usd,
  }
}
