import { mkdtempSync, rmSync } from 'node:fs'
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
