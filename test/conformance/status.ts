import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The content of Claude's status file, `sessions/<pid>.json`. */
export type Status = Record<string, unknown>

/** Returns undefined if there is no file, or if its content is incomplete: Claude rewrites the file in place. */
export function readStatus(directory: string, pid: number): Status | undefined {
  try {
    return parseStatus(readFileSync(join(directory, `${pid}.json`), 'utf8'))
  } catch {
    return undefined
  }
}

export function parseStatus(text: string): Status | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** For instance `idle`, or `waiting: permission prompt`. */
export function statusText({ status, waitingFor }: Status): string {
  return [status, waitingFor].filter(Boolean).join(': ')
}
