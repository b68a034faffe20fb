import { isObject } from '../io/json.ts'
import type { TurnResult } from './agent.ts'

/** The lines on Claude's standard output that agenc uses. Hooks and the status file tell all the rest. */
export type StreamEvent =
  | { kind: 'result'; result: TurnResult }
  | { kind: 'limit'; resetsAt: Date }
  | { kind: 'tasks'; count: number }

/** Returns null for any other line, also if it is no JSON: programs that Claude starts may write there too. */
export function parseEvent(line: string): StreamEvent | null {
  const data = parsed(line)
  if (data?.type === 'result') return { kind: 'result', result: turnResult(data) }
  if (data?.type === 'rate_limit_event') return usageLimit(data.rate_limit_info)
  if (data?.type === 'system' && data.subtype === 'background_tasks_changed' && Array.isArray(data.tasks))
    return { kind: 'tasks', count: data.tasks.length }
  return null
}

function parsed(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null
  try {
    const data: unknown = JSON.parse(line)
    return isObject(data) ? data : null
  } catch {
    return null
  }
}

/** `subtype` is `success` also after an error of the API, so only `is_error` counts. */
function turnResult(data: Record<string, unknown>): TurnResult {
  return {
    text: typeof data.result === 'string' ? data.result : null,
    isError: data.is_error !== false,
    turns: number(data.num_turns) ?? 0,
    durationMs: number(data.duration_ms) ?? 0,
    costUsd: number(data.total_cost_usd),
    tokens: isObject(data.usage) ? tokens(data.usage) : null,
  }
}

function tokens(usage: Record<string, unknown>): TurnResult['tokens'] {
  return {
    input: number(usage.input_tokens) ?? 0,
    output: number(usage.output_tokens) ?? 0,
    cache_read: number(usage.cache_read_input_tokens) ?? 0,
    cache_write: number(usage.cache_creation_input_tokens) ?? 0,
  }
}

/** The event also tells how much is used while there is something left. */
function usageLimit(info: unknown): StreamEvent | null {
  if (!isObject(info) || info.status !== 'rejected') return null
  const seconds = number(info.resetsAt)
  return seconds === null ? null : { kind: 'limit', resetsAt: new Date(seconds * 1000) }
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
