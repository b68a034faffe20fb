import { describe, expect, test } from 'vitest'
import type { CheckResult, LoopWish, Round } from '../../src/db/loops.ts'
import { type LoopSoFar, nextStep } from '../../src/loop/next-step.ts'

const start = new Date('2026-01-01T00:00:00Z')
const minute = (count: number) => new Date(start.getTime() + count * 60_000)

const wish: LoopWish = {
  prompt: 'Fix it.',
  until: 'make test',
  max: 20,
  timeout_ms: 3_600_000,
  check_timeout_ms: 600_000,
  is_fresh: false,
  has_window: false,
  is_forced: false,
}

const failed: CheckResult = { exit: 1, signal: null, is_time_up: false, duration_ms: 5, output: 'no' }

function round(n: number, change: Partial<Round> = {}): Round {
  return {
    n,
    started_at: start.toISOString(),
    session_id: null,
    before: `tree ${n}`,
    after: `tree ${n + 1}`,
    cost_before: 0,
    since_event: 0,
    message_id: n,
    turn: { ended_by: 'turn', failure: null },
    changes: null,
    cost_usd: null,
    check: failed,
    ended_at: start.toISOString(),
    ...change,
  }
}

function loop(rounds: Round[], change: Partial<LoopSoFar> = {}): LoopSoFar {
  return { wish, rounds, run_at: start.toISOString(), run_from: 0, ...change }
}

const rounds = (count: number, change: Partial<Round> = {}) =>
  Array.from({ length: count }, (_, index) => round(index + 1, change))

describe('the next step of a loop', () => {
  test('the check comes before the first round, unless it is forced', () => {
    expect(nextStep(loop([]), null, start)).toEqual({ kind: 'first-check' })
    expect(nextStep(loop([]), true, start)).toMatchObject({ kind: 'end', status: 'succeeded' })
    expect(nextStep(loop([]), false, start)).toEqual({ kind: 'new-round', n: 1 })
    const forced = { ...wish, is_forced: true }
    expect(nextStep(loop([], { wish: forced }), null, start)).toEqual({ kind: 'new-round', n: 1 })
  })

  test('a round goes on where it was', () => {
    const open = { check: null, ended_at: null }
    const unsent = round(1, { ...open, message_id: null, turn: null })
    expect(nextStep(loop([unsent]), null, start)).toEqual({ kind: 'prompt', round: unsent })
    const working = round(1, { ...open, turn: null })
    expect(nextStep(loop([working]), null, start)).toEqual({ kind: 'turn', round: working })
    const unchecked = round(1, open)
    expect(nextStep(loop([unchecked]), null, start)).toEqual({ kind: 'check', round: unchecked })
  })

  test('the next round begins while the check fails', () => {
    expect(nextStep(loop(rounds(2)), null, minute(5))).toEqual({ kind: 'new-round', n: 3 })
    const killed = { ...failed, exit: null, signal: 'SIGKILL' }
    expect(nextStep(loop(rounds(1, { check: killed })), null, start)).toMatchObject({ kind: 'new-round' })
  })

  test('it succeeds when the check does, even with the last round and after the time', () => {
    const last = rounds(20)
    last[19] = round(20, { check: { ...failed, exit: 0 } })
    expect(nextStep(loop(last), null, minute(90))).toMatchObject({ status: 'succeeded' })
  })

  test('the limits of rounds and time end it', () => {
    expect(nextStep(loop(rounds(19)), null, start)).toMatchObject({ kind: 'new-round' })
    expect(nextStep(loop(rounds(20)), null, start)).toMatchObject({ status: 'max_rounds' })
    expect(nextStep(loop(rounds(1)), null, minute(60))).toMatchObject({ status: 'timeout' })
  })

  test('limits count from the last continue', () => {
    expect(nextStep(loop(rounds(20), { run_from: 20 }), null, start)).toEqual({ kind: 'new-round', n: 21 })
    const later = { run_from: 1, run_at: minute(60).toISOString() }
    expect(nextStep(loop(rounds(1), later), null, minute(61))).toMatchObject({ kind: 'new-round' })
  })

  test('three rounds without a change end it', () => {
    const same = { before: 'tree', after: 'tree' }
    expect(nextStep(loop(rounds(2, same)), null, start)).toMatchObject({ kind: 'new-round' })
    expect(nextStep(loop(rounds(3, same)), null, start)).toMatchObject({ status: 'stalled' })
    const changedOnce = [...rounds(2, same), round(3), round(4, same), round(5, same)]
    expect(nextStep(loop(changedOnce), null, start)).toMatchObject({ kind: 'new-round' })
    expect(nextStep(loop(rounds(3, same), { run_from: 1 }), null, start)).toMatchObject({ kind: 'new-round' })
  })

  test.each([
    ['limit', 'rate_limit', 'limit'],
    ['error', 'authentication_failed', 'failed'],
    ['error', 'billing_error', 'failed'],
    ['ended', null, 'failed'],
    ['interrupted', null, 'failed'],
  ] as const)('a turn that ended by %s (%s) ends it as %s', (ended_by, failure, status) => {
    const turn = { ended_by, failure }
    expect(nextStep(loop([round(1, { turn })]), null, start)).toMatchObject({ kind: 'end', status })
    expect(nextStep(loop([round(1, { turn })], { run_from: 1 }), null, start)).toMatchObject({ n: 2 })
    const succeeded = round(1, { turn, check: { ...failed, exit: 0 } })
    expect(nextStep(loop([succeeded]), null, start)).toMatchObject({ status: 'succeeded' })
  })

  test('errors that may pass, and turns that were cut off before, do not end it', () => {
    const overloaded = { ended_by: 'error', failure: 'server_error' } as const
    expect(nextStep(loop([round(1, { turn: overloaded })]), null, start)).toMatchObject({ n: 2 })
    const cut = { ended_by: 'cut', failure: null } as const
    expect(nextStep(loop([round(1, { turn: cut })]), null, start)).toMatchObject({ n: 2 })
  })
})
