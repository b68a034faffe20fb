import type { WindowSystem } from './system.ts'

export function noWindows(reason: string): WindowSystem {
  return {
    list: () => null,
    focus: () => false,
    close: () => false,
    idVariable: null,
    problem: () => reason,
  }
}
