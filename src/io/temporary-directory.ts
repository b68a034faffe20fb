import { mkdtempSync, rmSync } from 'node:fs'
import { atProcessEnd } from '../system/process-end.ts'

export interface TemporaryDirectory {
  path: string
  remove(): void
}

/** Makes a private directory. It is removed by `remove`, or when the process ends, by a signal too. */
export function makeTemporaryDirectory(prefix: string): TemporaryDirectory {
  let path: string | undefined
  const remove = () => {
    if (path !== undefined) rmSync(path, { recursive: true, force: true })
  }
  // Before the directory is made: a signal between the two calls would leave it behind.
  const forget = atProcessEnd(remove)
  path = mkdtempSync(prefix)
  return {
    path,
    remove: () => {
      remove()
      forget()
    },
  }
}
