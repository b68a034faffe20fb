import { chmodSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { AgencError, errorCode, isAgencError } from '../../errors.ts'
import { writeFileAtomically } from '../../io/files.ts'

const modeBits = 0o777

/** The text of a file in a working copy, null where it is not there yet. */
export function readProjectFile(dir: string, path: string): string | null {
  return whileAt(path, 'read', () => {
    refuseWayOut(dir, path)
    return missingIsNull(() => readFileSync(join(dir, path), 'utf8'))
  })
}

/** A file that is there keeps its mode. */
export function writeProjectFile(dir: string, path: string, text: string): void {
  const target = join(dir, path)
  whileAt(path, 'write', () => {
    const old = missingIsNull(() => statSync(target))
    writeFileAtomically(target, text, { durable: true })
    if (old) chmodSync(target, old.mode & modeBits)
  })
}

/** A repo may come with a link to anywhere, also to where nothing is yet. */
function refuseWayOut(dir: string, path: string): void {
  const file = join(dir, path)
  const there = [file, dirname(file)].find(place => missingIsNull(() => lstatSync(place)))
  if (there === undefined) return
  const real = missingIsNull(() => realpathSync(there))
  if (real?.startsWith(realpathSync(dir) + sep)) return
  throw new AgencError(
    `${path} is a link that leads out of the mission's directory, or nowhere`,
    'Nothing was changed. Put a file of its own there, then run this again.',
  )
}

function missingIsNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}

function whileAt<T>(path: string, verb: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (isAgencError(error)) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new AgencError(`cannot ${verb} ${path}: ${why}`, 'Check what is there, and its mode.')
  }
}
