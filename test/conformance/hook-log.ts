import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { quoteForShell } from '../../src/io/shell-quote.ts'

export type HookEvent = { hook_event_name: string } & Record<string, unknown>

const recorded = [
  ...['SessionStart', 'SessionEnd', 'UserPromptSubmit', 'UserPromptExpansion', 'Stop', 'StopFailure'],
  ...['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PostToolBatch', 'Notification'],
  ...[
    'PermissionRequest',
    'PermissionDenied',
    'SubagentStart',
    'SubagentStop',
    'TaskCreated',
    'TaskCompleted',
  ],
  ...['PreCompact', 'PostCompact', 'ConfigChange', 'InstructionsLoaded', 'CwdChanged'],
]

/** One line an event, written at once, so that events side by side do not mix; then the answer, if there is one. */
const script = `in=$(cat)
printf '%s\\n' "$in" >>"$1"
[ -e "$2" ] && cat "$2"
exit 0
`

/** Hooks that write down every event and answer what the scenario wants answered. */
export class HookLog {
  private readonly root: string
  private readonly log: string
  private readonly script: string
  private read: { bytes: number; events: HookEvent[] } = { bytes: 0, events: [] }

  constructor(root: string) {
    this.root = root
    this.log = join(root, 'events.jsonl')
    this.script = join(root, 'hook.sh')
    writeFileSync(this.script, script)
  }

  events(): HookEvent[] {
    const bytes = existsSync(this.log) ? statSync(this.log).size : 0
    if (bytes !== this.read.bytes) {
      const lines = readFileSync(this.log, 'utf8').split('\n').slice(0, -1)
      this.read = { bytes, events: lines.map(line => JSON.parse(line)) }
    }
    return this.read.events
  }

  /** From now on the hook of this event prints this; undefined: nothing. */
  answer(event: 'PermissionRequest' | 'PreToolUse', answer?: Record<string, unknown>): void {
    const output = { hookSpecificOutput: { hookEventName: event, ...answer } }
    if (answer) writeFileSync(this.answerFile(event), JSON.stringify(output))
    else rmSync(this.answerFile(event), { force: true })
  }

  /** A settings file with every hook, and the commands that the scenario adds. */
  settings(added: Record<string, { command: string; timeout?: number }> = {}): string {
    const hooks: Record<string, unknown[]> = Object.fromEntries(
      recorded.map(event => [event, [this.hook(event)]]),
    )
    for (const [event, hook] of Object.entries(added)) {
      hooks[event] = [...(hooks[event] ?? []), { hooks: [{ type: 'command', ...hook }] }]
    }
    const path = join(this.root, `settings-${randomUUID()}.json`)
    writeFileSync(path, JSON.stringify({ disableAgentView: true, hooks }))
    return path
  }

  private hook(event: string) {
    const command = ['sh', this.script, this.log, this.answerFile(event)].map(quoteForShell).join(' ')
    return { hooks: [{ type: 'command', command, timeout: 60 }] }
  }

  private answerFile(event: string): string {
    return join(this.root, `answer-${event}`)
  }
}
