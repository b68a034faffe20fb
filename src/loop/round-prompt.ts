import type { CheckResult, LoopWish } from '../db/loops.ts'
import { durationText } from '../io/duration.ts'
import { shellWord } from '../io/shell-quote.ts'

/** The prompt of a round. The first round, and each one with a conversation of its own, gets the user's words alone. */
export function promptOf(wish: LoopWish, lastCheck: CheckResult | null): string {
  if (lastCheck === null || wish.is_fresh) return wish.prompt
  const { output } = lastCheck
  const shown = output === '' ? 'It printed nothing.' : `The end of its output:\n\n${output}`
  const check = `The check has failed ${howItFailed(lastCheck, wish)}: ${untilInWords(wish)}`
  return `${wish.prompt}\n\n${check}\n${shown}`
}

export function untilInWords({ until }: Pick<LoopWish, 'until'>): string {
  return typeof until === 'string' ? until : until.map(shellWord).join(' ')
}

export function howItFailed(
  { exit, signal, is_time_up }: CheckResult,
  { check_timeout_ms }: Pick<LoopWish, 'check_timeout_ms'>,
): string {
  if (is_time_up) return `because it took longer than ${durationText(check_timeout_ms)}`
  return exit === null ? `by ${signal}` : `with exit code ${exit}`
}
