import type { Context } from '../context.ts'
import { listEvents } from '../db/events.ts'
import type { LoopRecord, Round, TurnEnd } from '../db/loops.ts'
import { getMessage, type Message } from '../db/messages.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError } from '../errors.ts'
import { untilChange } from '../mission/followers.ts'
import type { ResultJson } from '../mission/mission-json.ts'
import { WrapperLives } from '../mission/wrapper-lives.ts'
import { turnFailedEvent } from '../wrapper/report-observer.ts'
import { limitReached } from '../wrapper/usage-limit.ts'
import { missionOf } from './loop-mission.ts'

/** How a turn ended, or why Claude did not begin it. */
export type TurnOutcome =
  | { kind: 'over'; endedBy: TurnEnd; failure: string | null; result: ResultJson | null }
  /** The mission ended before Claude got the prompt. */
  | { kind: 'not-begun' }

/** The transcript tells a moment later than Claude when the limit ends. */
const limitWaitMs = 6_000
/** No report comes after an interruption, or if the wrapper was killed. */
const reportMs = 3_000

/** Waits until Claude has taken the prompt of the round and ended the turn. */
export async function followTurn(
  context: Context,
  loop: LoopRecord,
  round: Round,
  signal: AbortSignal,
): Promise<TurnOutcome> {
  let lives: WrapperLives | undefined
  let patience: NodeJS.Timeout | undefined
  let isPatienceOver = false
  const look = (db: Database | null, wake: () => void): TurnOutcome | undefined => {
    if (db === null) return undefined
    lives ??= new WrapperLives(context, wake)
    const seen = turnOutcome(db, lives, loop, round)
    if (seen?.kind !== 'unreported' || isPatienceOver) return seen && withoutReport(seen)
    patience ??= setTimeout(() => {
      isPatienceOver = true
      wake()
    }, reportMs)
    return undefined
  }
  try {
    return (await untilChange(context, look, { signal }))!
  } finally {
    clearTimeout(patience)
    lives?.close()
  }
}

/** Claude is idle, but has not reported the end of the turn. The report says whether an error has ended it. */
type Unreported = { kind: 'unreported'; outcome: TurnOutcome }

function withoutReport(seen: TurnOutcome | Unreported): TurnOutcome {
  return seen.kind === 'unreported' ? seen.outcome : seen
}

/** Returns undefined while the turn is not over. */
function turnOutcome(
  db: Database,
  lives: WrapperLives,
  loop: LoopRecord,
  round: Round,
): TurnOutcome | Unreported | undefined {
  const message = getMessage(db, round.message_id!)
  if (message === undefined) throw new AgencError('the prompt of the round was deleted')
  refuseUndelivered(message)
  const mission = missionOf(db, loop)
  const isGiven = message.status === 'taken' || message.status === 'unconfirmed'
  const isReported = message.answered_at !== null
  const result = resultOf(mission)
  if (lives.statusesOf([mission])[0] !== 'running') {
    if (!isGiven) return { kind: 'not-begun' }
    return isReported || result !== null
      ? over(db, mission, round, result)
      : { kind: 'over', endedBy: 'ended', failure: null, result }
  }
  const isAtRest = mission.state === 'idle' && mission.background === 0
  if (!isGiven || !isAtRest || (mission.headless === 1 && result === null)) return undefined
  const outcome = over(db, mission, round, result)
  return isReported ? outcome : { kind: 'unreported', outcome }
}

function refuseUndelivered({ status, reason }: Message): void {
  if (status !== 'not_taken' && status !== 'cancelled') return
  throw new AgencError(`Claude did not get the prompt: ${reason ?? status}`)
}

function over(db: Database, mission: MissionRecord, round: Round, result: ResultJson | null): TurnOutcome {
  const failure = lastFailure(db, mission, round)
  return { kind: 'over', endedBy: endOf(failure, result), failure, result }
}

/** An interrupted turn has a result without a text. In a window, agenc cannot tell it from another one. */
function endOf(failure: string | null, result: ResultJson | null): TurnEnd {
  if (failure !== null) return failure === limitReached ? 'limit' : 'error'
  return result?.is_error && result.text === null ? 'interrupted' : 'turn'
}

/** The error that ended the last turn since the round began. */
function lastFailure(db: Database, { id }: MissionRecord, { since_event }: Round): string | null {
  let failure: string | null = null
  for (const { kind, data } of listEvents(db, id).filter(event => event.id > since_event)) {
    if (kind === 'state' && data.state === 'busy') failure = null
    if (kind === turnFailedEvent) failure = String(data.failure)
  }
  return failure
}

export function resultOf({ result }: Pick<MissionRecord, 'result'>): ResultJson | null {
  return result === null ? null : JSON.parse(result)
}

/** When Claude's usage limit ends. Null if Claude does not say it. */
export async function limitEnd(
  context: Context,
  loop: LoopRecord,
  signal: AbortSignal,
): Promise<string | null> {
  const look = (db: Database | null) => (db && missionOf(db, loop).resets_at) ?? undefined
  return (await untilChange(context, look, { timeoutMs: limitWaitMs, signal })) ?? null
}
