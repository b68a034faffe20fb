/** Exit codes that scripts may rely on. Never 2: Claude Code reads 2 from a hook as "block". */
export const ExitCode = {
  ok: 0,
  failed: 1,
  usage: 64,
  unavailable: 69,
  config: 78,
  timeRanOut: 124,
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

const causes: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'the system does not permit it',
  EROFS: 'the file system is read-only',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'there is something else in its place',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  EIO: 'the disk reports an error',
  EAGAIN: 'too many processes, or too little memory',
  ENOMEM: 'too little memory',
  SQLITE_FULL: 'the disk is full',
  SQLITE_READONLY: 'it is read-only',
  SQLITE_IOERR: 'the disk reports an error, or is full',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files on this system',
}

export const howToOpenMoreFiles =
  "Close some programs, or raise the limit with 'ulimit -n 4096', then try again."

/** What to do if the disk, the memory or the number of open files is used up. Returns undefined for any other error. */
export function adviceOnShortage(error: unknown): string | undefined {
  switch (errorCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'SQLITE_FULL':
      return 'Free some space, then try again.'
    case 'EAGAIN':
    case 'ENOMEM':
      return "Close some programs, or raise the limits with 'ulimit', then try again."
    case 'EMFILE':
    case 'ENFILE':
      return howToOpenMoreFiles
  }
}

const actions: Record<string, string> = {
  mkdir: 'create the directory',
  mkdtemp: 'create the directory',
  open: 'open',
  spawn: 'run',
  spawnSync: 'run',
  write: 'write',
}

/**
 * Explains an error of the system, such as a full disk, which is no mistake in the program. `home` is agenc's home.
 * Returns null for any other error.
 */
export function explainSystemError(error: unknown, home: string): { message: string; hint: string } | null {
  // SQLite appends details to a code: SQLITE_IOERR_WRITE.
  const code = errorCode(error)?.replace(/^(SQLITE_[A-Z]+)_.*/, '$1')
  if (code === undefined || !Object.hasOwn(causes, code)) return null
  const { syscall = 'write', path } = error as NodeJS.ErrnoException
  const name = syscall.split(' ')[0]!
  const cause = name === 'mkdir' && code === 'ENOENT' ? 'nothing can be created there' : causes[code]!
  const what = [actions[name] ?? 'use', path].filter(Boolean).join(' ')
  const advice =
    adviceOnShortage(error) ?? (/ACCES|PERM/.test(code) ? 'Check its owner and its mode.' : 'Check the path.')
  const isAboutHome = path === undefined || `${path}/`.startsWith(`${home}/`) || home.startsWith(`${path}/`)
  const place = `agenc keeps its files in ${home}; set AGENC_DIRPATH to use another directory.`
  return { message: `cannot ${what}: ${cause}`, hint: isAboutHome ? `${advice} ${place}` : advice }
}
