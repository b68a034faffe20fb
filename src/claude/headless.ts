import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { Context } from '../context.ts'
import { AgencError } from '../errors.ts'
import { LineReader } from '../io/line-reader.ts'
import { randomUuid } from '../io/random.ts'
import { cleanText } from '../io/text.ts'
import type { MissionId } from '../mission-id.ts'
import type { Agent, AgentListener, DirectLine, Follower, Inbox, Launch, StartRequest } from './agent.ts'
import type { AgentStatus } from './agent-report.ts'
import { interactiveClaude, prepareClaude } from './interactive.ts'
import { parseEvent } from './stream-events.ts'

/**
 * Claude stays after a turn, and takes messages as lines of JSON. Without `--permission-prompt-tool`, it would have no
 * questions and no plans. agenc's hook answers them, as on a terminal.
 */
const streamArguments = [
  '-p',
  '--output-format',
  'stream-json',
  '--verbose',
  '--input-format',
  'stream-json',
  '--permission-prompt-tool',
  'stdio',
]

/** Claude Code without a terminal. Besides hooks and status file, it tells of each turn on its standard output. */
export function headlessClaude(context: Context, id: MissionId, directory: string): Agent {
  const onTerminal = interactiveClaude(context, id, directory)
  const { prompt } = context.paths.mission(id)
  return {
    ...onTerminal,
    prepare: request => prepare(context, request),
    follow: (child, listener) => {
      const stream = new StreamFollower(child, listener, watched => onTerminal.follow(child, watched))
      if (existsSync(prompt)) stream.line.submit(readFileSync(prompt, 'utf8'))
      return stream
    },
  }
}

/** Without a terminal, Claude takes every directory as trusted. */
async function prepare(context: Context, request: StartRequest): Promise<Launch> {
  const launch = await prepareClaude(context, request, streamArguments)
  if (launch.asksForTrust)
    throw new AgencError(
      `${cleanText(request.directory)} is not trusted, and without a terminal Claude cannot ask you about it`,
      "Trust its repo with 'agenc repo trust', or start the mission in a window.",
    )
  return launch
}

/** Reads what a Claude without a terminal writes, and speaks to it on its standard input. */
class StreamFollower implements Follower {
  readonly line: DirectLine
  readonly #listener: AgentListener
  readonly #status: Follower
  #hasTasks = false
  #latest: AgentStatus | null = null

  constructor(
    child: ChildProcess,
    listener: AgentListener,
    watchStatus: (listener: AgentListener) => Follower,
  ) {
    this.#listener = listener
    this.line = directLine(child)
    const lines = new LineReader(line => this.#onLine(line))
    child.stdout?.on('data', (chunk: Buffer) => lines.take(chunk))
    this.#status = watchStatus({ ...listener, onStatus: status => this.#onStatus(status) })
  }

  refresh(): void {
    this.#status.refresh()
  }

  inbox(): Inbox | null {
    return this.#status.inbox?.() ?? null
  }

  close(): void {
    this.#status.close()
  }

  #onLine(line: string): void {
    const event = parseEvent(line)
    switch (event?.kind) {
      case 'result':
        this.#listener.onResult(event.result)
        break
      case 'limit':
        this.#listener.onUsageLimit(event.resetsAt)
        break
      case 'tasks':
        this.#onTasks(event.count > 0)
        break
    }
  }

  /** Without a terminal, the status file does not tell of tasks in the background. */
  #onStatus(status: AgentStatus): void {
    this.#latest = status
    const isAtRest = status.activity === 'idle' && this.#hasTasks
    this.#listener.onStatus(isAtRest ? { ...status, activity: 'background' } : status)
  }

  #onTasks(hasTasks: boolean): void {
    if (hasTasks === this.#hasTasks) return
    this.#hasTasks = hasTasks
    // The time makes it a new status.
    if (this.#latest?.activity === 'idle')
      this.#onStatus({ ...this.#latest, updatedAtMs: this.#latest.updatedAtMs + 0.001 })
  }
}

function directLine({ stdin }: ChildProcess): DirectLine {
  // Claude may end at any moment. Its exit is noticed elsewhere.
  stdin?.on('error', () => {})
  const write = (message: Record<string, unknown>) => {
    if (stdin?.writable) stdin.write(`${JSON.stringify(message)}\n`)
  }
  const interrupt = () =>
    write({ type: 'control_request', request_id: randomUuid(), request: { subtype: 'interrupt' } })
  return {
    submit: text => write({ type: 'user', message: { role: 'user', content: text } }),
    interrupt,
    end: () => {
      interrupt()
      stdin?.end()
    },
  }
}
