import { fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'

const mostBytes = 1024 * 1024

export type Log = (message: string) => void

/**
 * The wrapper never writes to the terminal while Claude uses it, so its messages go to this file. It is opened at the
 * start, because creating files is slow on ext4 while thirty missions end and delete theirs.
 */
export function openLog(path: string, now: () => Date): Log {
  let file = tryToOpen(path)
  return message => {
    try {
      file ??= openSync(path, 'a', 0o600)
      writeSync(file, `${now().toISOString()} [${process.pid}] ${message}\n`)
    } catch {
      // A full disk must not end the mission.
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
