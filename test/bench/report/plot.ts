import type { Outcome } from '../outcome.ts'
export function ratioPlot(outcomes: readonly Outcome[]): string {
  return `${outcomes.length}`
}
