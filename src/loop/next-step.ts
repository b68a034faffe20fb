import type { LoopRecord, LoopStatus, Round } from '../db/loops.ts'
import { durationText } from '../io/duration.ts'

/** What the runner of a loop does next. */
export type Step =
  /** Run the check before the first round. */
  | { kind: 'first-check' }
  | { kind: 'new-round'; n: number }
  /** Give Claude the prompt of the round. */
  | { kind: 'prompt'; round: Round }
  /** Wait until Claude's turn is over. */
  | { kind: 'turn'; round: Round }
  | { kind: 'check'; round: Round }
  | { kind: 'end'; status: Exclude<LoopStatus, 'running'>; reason: string }

export type LoopSoFar = Pick<LoopRecord, 'wish' | 'rounds' | 'run_at' | 'run_from'>

const stalledRounds = 3

/** Errors of Claude that another round cannot help. */
const lasting: Readonly<Record<string, string>> = {
  authentication_failed: 'Claude is not logged in',
  billing_error: 'the credit balance of the account is too low',
  model_not_found: 'Claude does not know the model',
  invalid_request: 'Claude rejected the request, perhaps because the conversation is too long',
}

/** `firstCheck` is whether the check succeeded before the first round. Null if it has not run. */
export function nextStep(loop: LoopSoFar, firstCheck: boolean | null, now: Date): Step {
  const { wish, rounds, run_at, run_from } = loop
  const round = rounds.at(-1)
  if (round === undefined) {
    if (firstCheck === null && !wish.is_forced) return { kind: 'first-check' }
    if (firstCheck) return end('succeeded', 'the check succeeded before the first round')
  } else {
    if (round.message_id === null) return { kind: 'prompt', round }
    if (round.turn === null) return { kind: 'turn', round }
    if (round.check === null) return { kind: 'check', round }
    if (round.check.exit === 0) return end('succeeded', `the check succeeded after round ${round.n}`)
  }
  const ended = round && round.n > run_from ? endedByTurn(round) : null
  if (ended !== null) return ended
  const ofThisRun = rounds.filter(({ n }) => n > run_from)
  if (now.getTime() - Date.parse(run_at) >= wish.timeout_ms)
    return end('timeout', `its time of ${durationText(wish.timeout_ms)} is up`)
  if (ofThisRun.length >= wish.max)
    return end('max_rounds', `the check still fails after ${roundsInWords(wish.max)}`)
  const last = ofThisRun.slice(-stalledRounds)
  if (last.length === stalledRounds && last.every(isWithoutChange))
    return end('stalled', `nothing has changed in ${roundsInWords(stalledRounds)}${lastError(last)}`)
  return { kind: 'new-round', n: rounds.length + 1 }
}

function endedByTurn({ turn }: Round): Step | null {
  if (turn?.ended_by === 'limit') return end('limit', "Claude's usage limit is reached")
  if (turn?.ended_by === 'interrupted') return end('failed', 'the turn was interrupted')
  if (turn?.ended_by === 'ended') return end('failed', 'the mission ended during a turn')
  const cause = lasting[turn?.failure ?? '']
  return cause === undefined ? null : end('failed', cause)
}

function isWithoutChange({ before, after }: Round): boolean {
  return before === after
}

function lastError(rounds: readonly Round[]): string {
  const failure = rounds.at(-1)?.turn?.failure
  return failure ? ` (Claude's last error: ${failure})` : ''
}

function roundsInWords(count: number): string {
  return `${count} ${count === 1 ? 'round' : 'rounds'}`
}

function end(status: Exclude<LoopStatus, 'running'>, reason: string): Step {
  return { kind: 'end', status, reason }
}
