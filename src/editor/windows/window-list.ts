import type { Result } from '../../system/runner.ts'
import type { Window } from './system.ts'

/** Runs one X program against the display. */
export type AskX = (program: string, ...args: string[]) => Result

/** `missing`: the program is not installed, or not fit for this display; another may answer. `silent`: it ran and had no answer. */
export type Listing = Window[] | 'missing' | 'silent'

/** Over a forwarded display come windows whose pids count on another machine. */
export function isFromHere(machine: string, host: string): boolean {
  const firstLabel = (name: string) => name.split('.')[0]!.toLowerCase()
  return machine === '' || machine === 'N/A' || firstLabel(machine) === firstLabel(host)
}
