export interface Program {
  name: string
  needed: boolean
  why: string
}

export interface WindowProgram {
  name: string
  debianPackage: string
  isOptional?: boolean
  why: string
}

export interface System {
  platform: string
  families: readonly string[]
  isRoot: boolean
}

export const programs: readonly Program[]
export const compilers: readonly Program[]
export const windowPrograms: readonly WindowProgram[]
export function windowInstallCommands(missing: readonly WindowProgram[]): string[][]
export function familiesOf(osRelease: string): string[]
export function installPlan(
  names: readonly string[],
  system: System,
): { commands: string[][]; mayRun: boolean }
