import type { Process } from '../system/process-table.ts'
import type { Window } from './windows/system.ts'

export interface Clues {
  /** The processes between the mission's terminal and the windows' owner, nearest to the mission first. */
  below: readonly Process[]
  windowIdOf(pid: number): string | null
  /** Texts that mean the mission in a title, the best first. */
  marks: readonly string[]
}

/**
 * One process may own several windows. What the terminal told its child (`WINDOWID`) decides, then a title
 * that only one of them has. An id that is none of this process's windows was inherited from elsewhere.
 */
export function pickWindow(windows: readonly Window[], { below, windowIdOf, marks }: Clues): Window | null {
  if (windows.length === 1) return windows[0]!
  for (const { pid } of below) {
    const id = windowIdOf(pid)
    const told = windows.find(window => window.id === id)
    if (told) return told
  }
  for (const mark of marks) {
    const titled = windows.filter(window => mark !== '' && window.title.includes(mark))
    if (titled.length === 1) return titled[0]!
  }
  return null
}
