import type { Style } from '../io/colour.ts'
import { durationText } from '../io/duration.ts'
import type { LoopJson, RoundJson, ShownStatus } from './loop-json.ts'

export const statusStyle: Record<ShownStatus, Style | undefined> = {
  running: 'green',
  succeeded: 'cyan',
  max_rounds: 'yellow',
  timeout: 'yellow',
  stalled: 'yellow',
  limit: 'yellow',
  stopped: 'dim',
  failed: 'red',
  crashed: 'red',
}

/** One round on one line. */
export function roundInWords(round: RoundJson, isRun: boolean): string {
  const { duration_ms, ended_by, error, exit, changes, changed, cost_usd } = round
  const parts = [
    ended_by === null ? (isRun ? 'Claude is at work' : 'not over') : turnWords[ended_by],
    error,
    changed === null ? null : changesInWords(changed, changes),
    ended_by !== null && duration_ms === null ? (isRun ? 'the check runs' : 'the check is not over') : null,
    duration_ms === null ? null : exit === null ? 'the check was ended' : `the check exited with ${exit}`,
    duration_ms === null ? null : durationText(Math.ceil(duration_ms / 1000) * 1000),
    cost_usd === null ? null : `$${cost_usd.toFixed(2)}`,
  ]
  return parts.filter(Boolean).join(', ')
}

const turnWords = {
  turn: 'turn over',
  limit: 'usage limit',
  error: 'error',
  interrupted: 'interrupted',
  ended: 'the mission ended',
  cut: 'turn cut off',
}

function changesInWords(changed: boolean, changes: RoundJson['changes']): string {
  if (!changed) return 'no changes'
  if (changes === null) return 'changes'
  const { files, insertions, deletions } = changes
  return `${files} ${files === 1 ? 'file' : 'files'} +${insertions} -${deletions}`
}

/** How to go on with a loop that has ended. Null if it has succeeded or still runs. */
export function howToGoOn({ status, short_id }: LoopJson): string | null {
  return status === 'running' || status === 'succeeded' ? null : `agenc loop continue ${short_id}`
}
