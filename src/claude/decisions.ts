import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { isObject } from './hook-event.ts'

/** What a transcript tells, from some place on, of tools that asked for permission. */
export interface Decisions {
  /** By the id of the use: what a hook of ours answered and Claude took. */
  byHook: Map<string, 'allow' | 'deny'>
  /** Uses that have come to an end. Whether a hook decided is written before. */
  ended: Set<string>
}

/** 0 where there is none yet. */
export function transcriptBytes(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}

/** Undocumented, but so in every version that asks hooks for permission. */
export function readDecisions(path: string, fromByte: number): Decisions {
  const decisions: Decisions = { byHook: new Map(), ended: new Set() }
  for (const line of linesFrom(path, fromByte)) note(decisions, line)
  return decisions
}

function note({ byHook, ended }: Decisions, line: string): void {
  if (!/hook_permission_decision|tool_result/.test(line)) return
  const entry = parsed(line)
  const attachment = isObject(entry.attachment) ? entry.attachment : {}
  if (attachment.hookEvent === 'PermissionRequest' && attachment.type === 'hook_permission_decision')
    byHook.set(String(attachment.toolUseID), attachment.decision === 'deny' ? 'deny' : 'allow')
  const content = isObject(entry.message) ? entry.message.content : null
  for (const block of Array.isArray(content) ? content.filter(isObject) : [])
    if (block.type === 'tool_result') ended.add(String(block.tool_use_id))
}

function parsed(line: string): Record<string, unknown> {
  try {
    const entry: unknown = JSON.parse(line)
    return isObject(entry) ? entry : {}
  } catch {
    return {}
  }
}

function linesFrom(path: string, fromByte: number): string[] {
  try {
    const file = openSync(path, 'r')
    try {
      const text = Buffer.alloc(Math.max(0, fstatSync(file).size - fromByte))
      readSync(file, text, 0, text.length, fromByte)
      return text.toString('utf8').split('\n')
    } finally {
      closeSync(file)
    }
  } catch {
    return []
  }
}
