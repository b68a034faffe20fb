import type { Machine } from '../machine.ts'
import { machineLines } from '../machine.ts'
import type { Outcome } from '../outcome.ts'
export function benchmarksPage(machine: Machine, outcomes: readonly Outcome[]): string {
  return `${machineLines(machine).join('\n')}\n${outcomes.length}\n`
}
