import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgencError } from '../errors.ts'
import { atProcessEnd } from '../system/process-end.ts'

export interface TemporaryDirectory {
  path: string
  remove(): void
}

/** Makes a private directory. `remove` deletes it, and so does the end of the process, even by a signal. */
export function makeTemporaryDirectory(prefix: string): TemporaryDirectory {
  let path: string | undefined
  const remove = () => {
    if (path !== undefined) rmSync(path, { recursive: true, force: true })
  }
  // This comes before mkdtemp, because a signal between the two calls would leave the directory behind.
  const forget = atProcessEnd(() => {
    try {
      remove()
    } catch {
      // The process is ending, for another reason. `agenc doctor` finds what is left.
    }
  })
  try {
    path = mkdtempSync(prefix)
  } catch (error) {
    forget()
    throw error
  }
  return {
    path,
    remove: () => {
      forget()
      remove()
    },
  }
}

/** $TMPDIR may name a directory that does not exist. */
export function temporaryPlaces(home: string): string[] {
  return [tmpdir(), home, '/tmp']
}

/** Makes a temporary directory in the first of these places where that is possible. */
export function makeTemporaryDirectoryIn(places: readonly string[], prefix: string): TemporaryDirectory {
  const reasons: string[] = []
  for (const place of places) {
    try {
      return makeTemporaryDirectory(join(place, prefix))
    } catch (error) {
      reasons.push((error as Error).message)
    }
  }
  throw new AgencError(
    `cannot make a temporary directory: ${reasons[0]}`,
    'Set TMPDIR to a directory that you can write to.',
  )
}
