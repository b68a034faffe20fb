import { fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'

const mostBytes = 1024 * 1024

export type Log = (message: string) => void

/**
 * The wrapper never writes to the terminal while Claude has it; this file is where it speaks. Opened at the start:
 * of thirty that end together, each would make a file among those that the others remove, which takes ext4 long.
 */
export function openLog(path: string, now: () => Date): Log {
  let file = tryToOpen(path)
  return message => {
    try {
      file ??= openSync(path, 'a', 0o600)
      writeSync(file, `${now().toISOString()} [${process.pid}] ${message}\n`)
    } catch {
      // A full disk must not end a mission.
    }
  }
}

function tryToOpen(path: string): number | null {
  try {
    const file = openSync(path, 'a', 0o600)
    if (fstatSync(file).size > mostBytes) ftruncateSync(file)
    return file
  } catch {
    return null
  }
}
