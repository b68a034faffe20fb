import { openSync, statSync, truncateSync, writeSync } from 'node:fs'

const mostBytes = 1024 * 1024

export type Log = (message: string) => void

/** The wrapper never writes to the terminal while Claude has it; this file is where it speaks. */
export function openLog(path: string, now: () => Date): Log {
  try {
    if (statSync(path).size > mostBytes) truncateSync(path)
  } catch {
    // There is none yet.
  }
  let file: number | null = null
  return message => {
    try {
      file ??= openSync(path, 'a', 0o600)
      writeSync(file, `${now().toISOString()} [${process.pid}] ${message}\n`)
    } catch {
      // A full disk must not end a mission.
    }
  }
}
