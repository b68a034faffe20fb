export interface Program {
  name: string
  needed: boolean
  why: string
}

export interface System {
  platform: string
  families: readonly string[]
  isRoot: boolean
}

export const programs: readonly Program[]
export const compilers: readonly Program[]
export function familiesOf(osRelease: string): string[]
export function installPlan(
  names: readonly string[],
  system: System,
): { commands: string[][]; mayRun: boolean }
