import { readFileSync } from 'node:fs'
import { isObject } from './hook-event.ts'

/** Claude's own live status, as far as agenc reads it. Undocumented, so every part may be missing. */
export interface ClaudeStatus {
  status: string
  waitingFor: string | null
  updatedAtMs: number
  /** The name, where the user gave it. */
  userName: string | null
}

/** Rewritten in place, so a read may catch half of it: null then, and another read will come. */
export function readStatusFile(path: string): ClaudeStatus | null {
  try {
    return parseStatusFile(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

export function parseStatusFile(text: string): ClaudeStatus | null {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    return null
  }
  if (!isObject(data) || typeof data.status !== 'string') return null
  return {
    status: data.status,
    waitingFor: typeof data.waitingFor === 'string' ? data.waitingFor : null,
    updatedAtMs: typeof data.statusUpdatedAt === 'number' ? data.statusUpdatedAt : 0,
    userName: data.nameSource === 'user' && typeof data.name === 'string' ? data.name : null,
  }
}
