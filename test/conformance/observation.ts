import type { Bench } from './bench.ts'
import type { HookEvent } from './hook-log.ts'

/** What two programs must have in common after the same script. */
export interface Observation {
  /** Per agent, since two agents at work come in no fixed order. */
  events: Record<string, unknown[]>
  statuses: string[]
  sessions: string[]
  endings: unknown[]
  /** What the scenario itself found worth comparing. */
  facts: unknown
}

/** Measured or invented by the model, or long prose of no consequence. */
const unsteady = new Set([
  'duration_ms',
  'seconds_since_last_response',
  'context_tokens',
  'prompt_cache_likely_expired',
  'estimated_cache_write_usd',
  'structuredPatch',
  'stop_hook_active',
])

export function observe(bench: Bench, facts: unknown): Observation {
  const name = namer(bench)
  const events = bench.events()
  const statuses = bench.statuses.filter(({ status }) => status !== undefined)
  const agents = [...new Set(events.map(agentOf))]
  return {
    events: Object.fromEntries(
      agents.map(agent => [
        name(agent),
        events.filter(event => agentOf(event) === agent).map(event => name(steady(event))),
      ]),
    ),
    statuses: changes(
      statuses.map(({ status, waitingFor }) => [status, waitingFor].filter(Boolean).join(': ')),
    ),
    sessions: name(changes(statuses.map(({ sessionId }) => sessionId))),
    endings: bench.terminals.map(terminal => terminal.ending),
    facts: name(facts),
  }
}

function agentOf(event: HookEvent): string {
  return typeof event.agent_id === 'string' ? event.agent_id : 'main'
}

/** Runs of the same are one: the file is written more often than it changes. */
function changes(values: readonly unknown[]): string[] {
  const words = values.map(String)
  return words.filter((word, index) => word !== words[index - 1])
}

function steady(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(steady)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => !unsteady.has(key))
  return Object.fromEntries(kept.map(([key, inner]) => [key, steady(shortened(key, inner))]))
}

const internal = /launched|running in background|approved your plan|this tool use was denied/

/** Claude talks to itself at length about tasks; what counts is which task, and how it went. */
function shortened(key: string, value: unknown): unknown {
  if (key === 'prompt' && typeof value === 'string' && value.startsWith('<task-notification>')) {
    return value.match(/<(task-id|tool-use-id|status|summary|result)>[^<]*/g)
  }
  if (key === 'tool_response' && internal.test(JSON.stringify(value))) {
    return typeof value === 'object' && !Array.isArray(value) ? value : 'an internal note'
  }
  if (key === 'tool_response' && typeof value === 'string') return value.split(' IMPORTANT: ')[0]
  return value
}

/** The same thing gets the same name in both programs, in the order of appearance. */
function namer(bench: Bench): <Value>(value: Value) => Value {
  const known = new Map<string, string>()
  const label = (kind: string) => (id: string) => {
    if (!known.has(id)) known.set(id, `<${kind}-${known.size + 1}>`)
    return known.get(id)!
  }
  const flat = bench.cwd.replace(/[^a-zA-Z0-9]/g, '-')
  return value =>
    value === undefined
      ? value
      : JSON.parse(
          JSON.stringify(value)
            .replaceAll(bench.root, '<root>')
            .replaceAll(flat, '<project>')
            .replace(/\/[^"\s]*\/tasks\/(\w+)\.output/g, '<output of $1>')
            .replace(/plans\/[\w-]+\.md/g, 'plans/<plan>.md')
            .replace(/toolu_[\w-]+/g, label('tool'))
            .replace(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, label('id'))
            .replace(/\ba[0-9a-f]{16}\b/g, label('agent'))
            .replace(/\bb[0-9a-z]{8}\b(?=["<>])/g, label('shell')),
        )
}
