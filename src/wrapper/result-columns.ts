import { maskSecrets } from '../approvals/mask-secrets.ts'
import type { TurnResult } from '../claude/agent.ts'
import type { MissionChange } from '../db/missions.ts'
import { bounded } from '../io/text.ts'
import type { ResultJson } from '../mission/mission-json.ts'

const longestText = 100_000

export function resultColumns(result: TurnResult, at: Date, { timeRanOut = false } = {}): MissionChange {
  const { text, isError, turns, durationMs, costUsd, tokens } = result
  const stored: ResultJson = {
    text: text === null ? null : bounded(maskSecrets(text), longestText),
    is_error: isError,
    time_ran_out: timeRanOut,
    turns,
    duration_ms: durationMs,
    cost_usd: costUsd,
    tokens,
    at: at.toISOString(),
  }
  return { result: JSON.stringify(stored) }
}

/** The result of a run that could not come to its own. */
export function failedResult(text: string): TurnResult {
  return { text, isError: true, turns: 0, durationMs: 0, costUsd: null, tokens: null }
}
