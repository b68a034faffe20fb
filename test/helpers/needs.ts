import type { TestContext } from 'vitest'
import { findProgram } from '../../src/system/find-program.ts'

/** Skips the test if a program is not installed. */
export function needPrograms(context: TestContext, ...programs: string[]): void {
  const missing = programs.filter(program => findProgram(program, process.env) === null)
  if (missing.length > 0) context.skip(`not installed: ${missing.join(', ')}`)
}

/** Skips the test for root, who may write and remove everything. */
export function needOrdinaryUser(context: TestContext): void {
  if (process.getuid?.() === 0) context.skip('needs a user other than root')
}

export function needRoot(context: TestContext): void {
  if (process.getuid?.() !== 0) context.skip('needs root')
}

export function needLinux(context: TestContext): void {
  if (process.platform !== 'linux') context.skip('needs Linux')
}
