import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import type { LoopRecord } from '../db/loops.ts'
import type { Paths } from '../paths.ts'
import { shortLoopId } from './loop-json.ts'

/** The log is in the mission's directory, so that it is deleted with the mission. */
export function loopLogPath(paths: Paths, { id, mission_id }: Pick<LoopRecord, 'id' | 'mission_id'>): string {
  return `${paths.mission(mission_id).root}/loop-${shortLoopId(id)}.log`
}

/** A FIFO that the runner holds open while it lives. */
export function loopLifeSign(log: string): string {
  return `${log}.life`
}

/** Writes what a loop does, on a line of its own. The output of its checks goes to the same file. */
export function writeLog(path: string, now: Date, text: string): void {
  const file = openSync(path, 'a+', 0o600)
  try {
    const { size } = fstatSync(file)
    const last = Buffer.alloc(1)
    const isCut = size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last.toString() !== '\n'
    writeSync(file, `${isCut ? '\n' : ''}[${now.toISOString()}] ${text}\n`)
  } finally {
    closeSync(file)
  }
}
