import { appendFileSync } from 'node:fs'
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

/** Writes what a loop does. The output of its checks goes to the same file. */
export function writeLog(path: string, now: Date, text: string): void {
  appendFileSync(path, `[${now.toISOString()}] ${text}\n`, { mode: 0o600 })
}
