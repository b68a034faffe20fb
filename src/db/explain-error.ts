import { AgencError, errorCode, isAgencError, unavailableError } from '../errors.ts'

const permissions =
  'Check its owner and permissions, and those of its directory. Or set AGENC_DIRPATH to another directory.'

/** By the start of SQLite's error code. */
const causes: readonly [code: string, cause: string, hint: string][] = [
  ['SQLITE_FULL', 'the disk is full', 'Free some space, then try again.'],
  ['SQLITE_IOERR', 'the disk is full or broken', 'Free some space and check the disk, then try again.'],
  ['SQLITE_BUSY', 'another process keeps it locked', "Try again. Find that process with: 'fuser' or 'lsof'."],
  ['SQLITE_READONLY', 'it cannot be written', permissions],
  ['SQLITE_PERM', 'permission denied', permissions],
  ['SQLITE_CANTOPEN', 'it cannot be opened', permissions],
  ['SQLITE_CORRUPT', 'it is damaged', "Run 'agenc doctor'."],
  ['SQLITE_NOTADB', 'it is damaged', "Run 'agenc doctor'."],
]

/** Turns an error of SQLite into one with a message for the user. Returns any other error as it is. */
export function explainStoreError(path: string, error: unknown): unknown {
  const code = errorCode(error)
  if (isAgencError(error) || code === undefined) return error
  if (code === 'ERR_DLOPEN_FAILED' || code === 'MODULE_NOT_FOUND')
    return unavailableError(
      'better-sqlite3 was not built, or was built for another version of Node',
      'Reinstall agenc with the version of Node that runs it. In a clone, run: npm ci',
    )
  const known = causes.find(([start]) => code.startsWith(start))
  if (!known) return error
  const [, cause, hint] = known
  return new AgencError(`cannot use the store ${path}: ${cause} (${(error as Error).message})`, hint)
}
