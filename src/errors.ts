/** Exit codes that scripts may rely on. Never 2: Claude Code reads 2 from a hook as "block". */
export const ExitCode = {
  ok: 0,
  failed: 1,
  usage: 64,
  unavailable: 69,
  config: 78,
  cancelled: 130,
} as const

/** An error for the user. The message says what went wrong, and `hint` says what to do next. */
export class AgencError extends Error {
  override name = 'AgencError'

  readonly hint: string | undefined
  readonly exitCode: number

  constructor(message: string, hint?: string, exitCode: number = ExitCode.failed) {
    super(message)
    this.hint = hint
    this.exitCode = exitCode
  }
}

/** Compares names, because the bundle contains more than one copy of the class and `instanceof` knows only one. */
export function isAgencError(error: unknown): error is AgencError {
  return error instanceof Error && error.name === 'AgencError'
}

export function isCancelled(error: unknown): error is Cancelled {
  return error instanceof Error && error.name === 'Cancelled'
}

export function usageError(message: string, hint?: string): AgencError {
  return new AgencError(message, hint, ExitCode.usage)
}

export function unavailableError(message: string, hint: string): AgencError {
  return new AgencError(message, hint, ExitCode.unavailable)
}

export function configError(message: string, hint: string): AgencError {
  return new AgencError(message, hint, ExitCode.config)
}

/** The user cancelled. Prints no message and exits with 130. */
export class Cancelled extends Error {
  override name = 'Cancelled'
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
