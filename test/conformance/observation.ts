import type { Bench } from './bench.ts'
import { type HookEvent, type RecordedEvent, statusDuringHook } from './hook-log.ts'
import { statusText } from './status.ts'

/** What two programs must have in common after the same scenario. */
export interface Observation {
  /** Grouped by agent, because the order among agents that work in parallel is not fixed. */
  events: Record<string, unknown[]>
  /** The status file while each hook ran. Empty if there were subagents: they change the status at any time. */
  statusDuringHooks: string[]
  /** The status file each time the scenario had waited for something in it. */
  awaitedStatuses: unknown[]
  endings: unknown[]
  /** The scenario's return value. */
  facts: unknown
}

/** Fields that contain measurements, inventions of the model, or long prose. */
const ignoredFields = new Set([
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
  // Without a terminal, the status file may outlive the last hook.
  const isCertain = ({ event }: RecordedEvent) =>
    bench.headless.length === 0 || event.hook_event_name !== 'SessionEnd'
  const recorded = bench.hooks.events().filter(isCertain)
  const agents = [...new Set(events.map(agentOf))]
  return {
    events: Object.fromEntries(
      agents.map(agent => [
        name(agent),
        events.filter(event => agentOf(event) === agent).map(event => name(withoutIgnored(event))),
      ]),
    ),
    statusDuringHooks: agents.length > 1 ? [] : recorded.flatMap(recordedStatus),
    awaitedStatuses: name(bench.statuses.map(status => [statusText(status), status.sessionId])),
    endings: bench.terminals.map(terminal => terminal.ending),
    facts: name(facts),
  }
}

function agentOf(event: HookEvent): string {
  return typeof event.agent_id === 'string' ? event.agent_id : 'main'
}

function recordedStatus({ event, status }: RecordedEvent): string[] {
  const name = event.hook_event_name
  if (!(name in statusDuringHook) || event.reason === 'clear') return []
  return [`${name}: ${status ? statusText(status) : 'no status file'}`]
}

function withoutIgnored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIgnored)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => !ignoredFields.has(key))
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutIgnored(shortened(key, inner))]))
}

const internalNote = /launched|running in background|approved your plan|this tool use was denied/

/** Claude writes long notes to itself about tasks. Only the task and its outcome are compared. */
function shortened(key: string, value: unknown): unknown {
  if (key === 'prompt' && typeof value === 'string' && value.startsWith('<task-notification>')) {
    return value.match(/<(task-id|tool-use-id|status|summary|result)>[^<]*/g)
  }
  if (key === 'tool_response' && internalNote.test(JSON.stringify(value))) {
    return typeof value === 'object' && !Array.isArray(value) ? value : 'an internal note'
  }
  if (key === 'tool_response' && typeof value === 'string') return value.split(' IMPORTANT: ')[0]
  return value
}

/** Replaces random ids and paths by names that are the same for both programs, in the order of appearance. */
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
