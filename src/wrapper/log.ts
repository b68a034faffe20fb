import { appendFileSync, statSync, truncateSync } from 'node:fs'

const mostBytes = 1024 * 1024

export type Log = (message: string) => void

/** The wrapper never writes to the terminal while Claude has it; this file is where it speaks. */
export function openLog(path: string, now: () => Date): Log {
  try {
    if (statSync(path).size > mostBytes) truncateSync(path)
  } catch {
    // There is none yet.
  }
  return message => {
    try {
      appendFileSync(path, `${now().toISOString()} [${process.pid}] ${message}\n`, { mode: 0o600 })
    } catch {
      // A full disk must not end a mission.
    }
  }
}
