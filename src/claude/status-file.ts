import { readFileSync } from 'node:fs'
import { isObject } from '../io/json.ts'
import type { AgentStatus } from './agent-report.ts'

const activities: Readonly<Record<string, AgentStatus['activity']>> = {
  idle: 'idle',
  shell: 'background',
  busy: 'busy',
  waiting: 'waiting',
}

const dialogs: Readonly<Record<string, AgentStatus['dialog']>> = {
  'permission prompt': 'permission',
  'input needed': 'question',
}

/** Returns null for a partial read: Claude rewrites the file in place, and another read will follow. */
export function readStatusFile(path: string): AgentStatus | null {
  try {
    return parseStatusFile(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

/** The file is undocumented, so any part of it may be missing. */
export function parseStatusFile(text: string): AgentStatus | null {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    return null
  }
  if (!isObject(data) || typeof data.status !== 'string') return null
  return {
    activity: Object.hasOwn(activities, data.status) ? activities[data.status]! : 'unknown',
    dialog: dialogs[String(data.waitingFor)] ?? null,
    updatedAtMs: typeof data.statusUpdatedAt === 'number' ? data.statusUpdatedAt : 0,
    userName: data.nameSource === 'user' && typeof data.name === 'string' ? data.name : null,
  }
}
