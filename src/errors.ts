/** Exit codes that scripts may rely on. Never 2: Claude Code reads 2 from a hook as "block". */
export const ExitCode = {
  ok: 0,
  failed: 1,
  usage: 64,
  unavailable: 69,
  config: 78,
  cancelled: 130,
} as const

/** An error with a message for the user. The message says what happened, and `hint` what to do. */
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

/** An error that the user caused by cancelling. Prints no message and ends with exit code 130. */
export class Cancelled extends Error {
  override name = 'Cancelled'
}

/**
 * Use this and `isCancelled` instead of `instanceof` for these two classes. A file below dist/hot has its own copies of
 * them, so an error from a chunk that it loads is an instance of another class with the same name.
 */
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

/** The code of a system error, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
