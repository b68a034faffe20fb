import { closeSync, openSync } from 'node:fs'
import { ExitCode, explainSystemError, howToOpenMoreFiles, isAgencError } from '../errors.ts'

export interface Explanation {
  message: string
  hint: string | undefined
  /** False for a mistake in the program, of which only a stack trace can tell more. */
  isKnown: boolean
}

/** What to tell the user about a failure. `home` is agenc's home. */
export function explainFailure(error: unknown, home: string): Explanation {
  const known = isAgencError(error) ? error : explainSystemError(error, home)
  const message = known?.message ?? (error instanceof Error ? error.message : String(error))
  const hint = [known?.hint, adviceOnOpenFiles(error, message, known?.hint)].filter(Boolean).join('\n')
  return { message, hint: hint || undefined, isKnown: hint !== '' || known !== null }
}

/**
 * Libraries do not always name this cause: SQLite says that it cannot open the file, and execa fails in its own code.
 * Returns null if it is not the cause, or if the advice was given already.
 */
function adviceOnOpenFiles(error: unknown, message: string, hint = ''): string | null {
  const isUsage = isAgencError(error) && error.exitCode === ExitCode.usage
  if (isUsage || hint.includes('ulimit')) return null
  const isNamed = /too many open files/i.test(message)
  if (!isNamed && shortageOfFiles() === null) return null
  return `${isNamed ? '' : 'Too many open files may be the cause. '}${howToOpenMoreFiles}`
}

/** Starting a program takes ten, and opening the store takes three. */
const neededFiles = 24

/** Tries whether this process can open a few more files. Returns the error if it cannot. */
export function shortageOfFiles(): Error | null {
  const opened: number[] = []
  try {
    while (opened.length < neededFiles) opened.push(openSync('/dev/null', 'r'))
    return null
  } catch (error) {
    return error as Error
  } finally {
    for (const file of opened) closeSync(file)
  }
}
