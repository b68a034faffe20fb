import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseStatus, type Status } from './status.ts'

export type HookEvent = { hook_event_name: string } & Record<string, unknown>

export interface RecordedEvent {
  event: HookEvent
  /** The status file while the hook ran, or undefined if there was none. Not recorded for all events. */
  status: Status | undefined
}

/**
 * The status that Claude has while the hooks of an event run. The real Claude writes its status file asynchronously, so
 * the recording hook waits for this status. If it does not come in time, the hook records the status that it finds.
 */
export const statusDuringHook: Readonly<Record<string, 'busy' | 'idle' | 'waiting' | 'gone'>> = {
  UserPromptSubmit: 'busy',
  PreToolUse: 'busy',
  PermissionRequest: 'waiting',
  PostToolUse: 'busy',
  PostToolUseFailure: 'busy',
  PostToolBatch: 'busy',
  Stop: 'busy',
  StopFailure: 'idle',
  SessionEnd: 'gone',
}

const recordedEvents = [
  ...Object.keys(statusDuringHook),
  'SessionStart',
  'UserPromptExpansion',
  'Notification',
  'PermissionDenied',
  'SubagentStart',
  'SubagentStop',
  'TaskCreated',
  'TaskCompleted',
  'PreCompact',
  'PostCompact',
  'ConfigChange',
  'InstructionsLoaded',
  'CwdChanged',
]

/**
 * Appends one line per event, in a single write, so that hooks that run in parallel do not mix their lines. JSON
 * contains no tab, so a tab separates the event from the status. The answer, if there is one, goes to stdout.
 * The events of subagents and of /clear do not wait: they may come at any status. SessionEnd hooks have 1.5 seconds.
 */
const script = `event=$(cat) log=$1 answer=$2 expected=$4
case $event in *'"agent_id":'*|*'"reason":"clear"'*) expected=;; esac
set -- "$3"/*.json
status=
tries=0
while [ -n "$expected" ] && [ $tries -lt 50 ]; do
  [ -e "$1" ] || { status=; break; }
  status=$(cat "$1" 2>/dev/null)
  case $status in *'"status":"'$expected'"'*'}') break;; esac
  tries=$((tries + 1))
  sleep 0.02
done
printf '%s\\t%s\\n' "$event" "$status" >>"$log"
[ -e "$answer" ] && cat "$answer"
exit 0
`

/** Hooks that record every event and give the answers that the scenario asks for. */
export class HookLog {
  /** The file with the recorded events. */
  readonly log: string
  private readonly root: string
  private readonly statusDirectory: string
  private readonly script: string
  private read: { bytes: number; events: RecordedEvent[] } = { bytes: 0, events: [] }

  constructor(root: string, statusDirectory: string) {
    this.root = root
    this.statusDirectory = statusDirectory
    this.log = join(root, 'events.log')
    this.script = join(root, 'hook.sh')
    writeFileSync(this.script, script)
  }

  events(): RecordedEvent[] {
    const bytes = existsSync(this.log) ? statSync(this.log).size : 0
    if (bytes !== this.read.bytes) {
      const lines = readFileSync(this.log, 'utf8').split('\n').slice(0, -1)
      this.read = { bytes, events: lines.map(parseLine) }
    }
    return this.read.events
  }

  /** Sets the answer that the event's hook prints from now on. Without an answer, the hook prints nothing. */
  answer(event: 'PermissionRequest' | 'PreToolUse', answer?: Record<string, unknown>): void {
    const output = { hookSpecificOutput: { hookEventName: event, ...answer } }
    if (answer) writeFileSync(this.answerFile(event), JSON.stringify(output))
    else rmSync(this.answerFile(event), { force: true })
  }

  /** Writes a settings file with a recording hook for every event, and with the hooks that the scenario adds. */
  settings(added: Record<string, { command: string; timeout?: number; matcher?: string }> = {}): string {
    const hooks: Record<string, unknown[]> = Object.fromEntries(
      recordedEvents.map(event => [event, [this.recordingHook(event)]]),
    )
    for (const [event, { matcher, ...hook }] of Object.entries(added)) {
      hooks[event] = [...(hooks[event] ?? []), { matcher, hooks: [{ type: 'command', ...hook }] }]
    }
    const path = join(this.root, `settings-${randomUUID()}.json`)
    writeFileSync(path, JSON.stringify({ disableAgentView: true, hooks }))
    return path
  }

  private recordingHook(event: string) {
    const expected = statusDuringHook[event] ?? ''
    const words = ['sh', this.script, this.log, this.answerFile(event), this.statusDirectory, expected]
    return { hooks: [{ type: 'command', command: words.map(quoted).join(' '), timeout: 60 }] }
  }

  private answerFile(event: string): string {
    return join(this.root, `answer-${event}`)
  }
}

function parseLine(line: string): RecordedEvent {
  const tab = line.lastIndexOf('\t')
  return { event: JSON.parse(line.slice(0, tab)), status: parseStatus(line.slice(tab + 1)) }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
