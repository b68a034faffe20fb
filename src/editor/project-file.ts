import { chmodSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { AgencError, errorCode, isAgencError } from '../errors.ts'
import { writeFileAtomically } from '../io/files.ts'

const modeBits = 0o777

/** Reads a file in a working copy. Returns null if it does not exist. */
export function readProjectFile(dir: string, path: string): string | null {
  return withPathInErrors(path, 'read', () => {
    refuseLinkOutside(dir, path)
    return nullIfMissing(() => readFileSync(join(dir, path), 'utf8'))
  })
}

/** Writes a file in a working copy. An existing file keeps its mode. */
export function writeProjectFile(dir: string, path: string, text: string): void {
  const target = join(dir, path)
  withPathInErrors(path, 'write', () => {
    const old = nullIfMissing(() => statSync(target))
    writeFileAtomically(target, text, { durable: true })
    if (old) chmodSync(target, old.mode & modeBits)
  })
}

/** A repo may contain a link to any place, even to one where no file exists yet. */
function refuseLinkOutside(dir: string, path: string): void {
  const file = join(dir, path)
  const existing = [file, dirname(file)].find(place => nullIfMissing(() => lstatSync(place)))
  if (existing === undefined) return
  const real = nullIfMissing(() => realpathSync(existing))
  if (real?.startsWith(realpathSync(dir) + sep)) return
  throw new AgencError(
    `${path} is a link that leads out of the mission's directory, or to nothing`,
    'Nothing was changed. Replace the link with a file, then run this again.',
  )
}

function nullIfMissing<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}

function withPathInErrors<T>(path: string, verb: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (isAgencError(error)) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new AgencError(
      `cannot ${verb} ${path}: ${why}`,
      'Check that it is an ordinary file, and that you may access it.',
    )
  }
}
