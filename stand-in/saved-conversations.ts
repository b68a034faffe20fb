import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ClaudePaths } from './claude-files.ts'
import { modeFromWord, type PermissionMode } from './permissions.ts'
import { claudeVersion, modelId } from './release.ts'
import type { Entry } from './screen-content.ts'
import { spokenPart } from './script.ts'

export type Line = Record<string, unknown>

export interface TranscriptHead {
  sessionId: string
  cwd: string
  mode: PermissionMode
  name?: string
}

/** Writes one conversation to disk. The file is created with the first message, not before. */
export class Transcript {
  readonly path: string
  /** Called with each message that is written. */
  onMessage: (line: Line) => void = () => {}
  private readonly head: () => TranscriptHead
  private readonly saving: boolean
  private parent: string | null = null
  /** The lines of the conversation that this one was forked from. They are written with the first message. */
  private inherited: Line[] = []
  /** What SessionStart hooks tell the model. It is written with the next message. */
  private told: string[] = []

  constructor(path: string, head: () => TranscriptHead, saving: boolean) {
    this.path = path
    this.head = head
    this.saving = saving
  }

  get exists(): boolean {
    return existsSync(this.path)
  }

  continueFrom(lines: readonly Line[], forked: boolean): void {
    this.parent = (lines.findLast(line => typeof line.uuid === 'string')?.uuid as string) ?? null
    if (forked) this.inherited = [...lines]
  }

  tell(texts: readonly string[]): void {
    this.told.push(...texts)
  }

  user(content: unknown, extra: Line = {}): void {
    this.begin()
    for (const text of this.told.splice(0)) {
      const attachment = { type: 'hook_additional_context', content: [text], hookEvent: 'SessionStart' }
      this.append({ type: 'attachment', attachment })
    }
    this.message('user', { role: 'user', content }, { permissionMode: this.head().mode, ...extra })
  }

  /** An answer that was interrupted has no reason to stop. */
  assistant(content: Line[], stopReason: 'end_turn' | 'tool_use' | null, extra: Line = {}): void {
    const id = `msg_${randomUUID()}`
    const fixed = { type: 'message', role: 'assistant', model: modelId }
    this.message('assistant', { id, ...fixed, content, stop_reason: stopReason }, extra)
  }

  /** What Claude says in place of an answer. Hooks do not tell when a limit ends, but this line does. */
  apiError(text: string, error: string, { status, resetsAt }: { status: number; resetsAt?: number }): void {
    const limit = { status: 'rejected', resetsAt, rateLimitType: 'five_hour', isUsingOverage: false }
    this.assistant([{ type: 'text', text }], 'end_turn', {
      error,
      isApiErrorMessage: true,
      apiErrorStatus: status,
      ...(resetsAt === undefined
        ? {}
        : { apiError: 'usage_limit_reached', apiErrorParams: { rate_limit_info: limit } }),
    })
  }

  /** Records that a hook answered a permission request. */
  hookDecision(toolUseID: string, decision: 'allow' | 'deny'): void {
    const attachment = {
      type: 'hook_permission_decision',
      decision,
      toolUseID,
      hookEvent: 'PermissionRequest',
    }
    this.append({ type: 'attachment', attachment })
  }

  /** Records what became of a prompt that was sent while Claude was busy. */
  queue(operation: 'enqueue' | 'dequeue' | 'popAll' | 'remove', content?: string, extra: Line = {}): void {
    this.begin()
    const timestamp = new Date().toISOString()
    this.begin()
    this.append({ type: 'queue-operation', operation, timestamp, ...(content ? { content } : {}), ...extra })
  }

  /** A queued prompt that the model gets between two tools. */
  queuedCommand(prompt: string, more: Line = {}): void {
    this.append({ type: 'attachment', attachment: { type: 'queued_command', prompt, ...more } })
  }

  lastPrompt(prompt: string): void {
    this.append({ type: 'last-prompt', lastPrompt: prompt })
  }

  title(name: string): void {
    if (!this.exists) return
    this.append({ type: 'custom-title', customTitle: name })
    this.append({ type: 'agent-name', agentName: name })
  }

  permissionMode(mode: PermissionMode): void {
    if (this.exists) this.append({ type: 'permission-mode', permissionMode: mode })
  }

  private begin(): void {
    if (this.exists || !this.saving) return
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 })
    const { sessionId, mode, name } = this.head()
    for (const line of this.inherited) this.write({ ...line, sessionId })
    if (name) {
      this.append({ type: 'custom-title', customTitle: name })
      this.append({ type: 'agent-name', agentName: name })
    }
    this.append({ type: 'permission-mode', permissionMode: mode })
  }

  private message(type: string, message: Line, extra: Line = {}): void {
    const uuid = randomUUID()
    const { cwd, sessionId } = this.head()
    const place = { userType: 'external', entrypoint: 'cli', cwd, sessionId, version: claudeVersion }
    const timestamp = new Date().toISOString()
    const line = {
      parentUuid: this.parent,
      isSidechain: false,
      type,
      message,
      uuid,
      timestamp,
      ...extra,
      ...place,
    }
    this.write(line)
    this.parent = uuid
    this.onMessage(line)
  }

  private append(line: Line): void {
    this.write({ ...line, sessionId: this.head().sessionId })
  }

  private write(line: Line): void {
    if (!this.saving) return
    appendFileSync(this.path, `${JSON.stringify(line)}\n`, { mode: 0o600 })
  }
}

export function readTranscript(path: string): Line[] {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  return lines.flatMap(line => {
    try {
      return [JSON.parse(line) as Line]
    } catch {
      return []
    }
  })
}

/** A conversation found on disk. */
export interface SavedSession {
  sessionId: string
  path: string
  lines: Line[]
  name?: string
  mode?: PermissionMode
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

export function isSessionId(text: string): boolean {
  return uuid.test(text)
}

/** Looks for an id in all projects, and for a name in the project of `cwd`. */
export function findSession(paths: ClaudePaths, cwd: string, wanted: string): SavedSession | undefined {
  if (!isSessionId(wanted)) return sessionsIn(paths.project(cwd)).find(session => session.name === wanted)
  const projects = join(paths.config, 'projects')
  const here = [paths.project(cwd), ...directoriesIn(projects).map(name => join(projects, name))]
  const path = here.map(project => join(project, `${wanted}.jsonl`)).find(candidate => existsSync(candidate))
  return path ? savedSession(path) : undefined
}

export function latestSession(paths: ClaudePaths, cwd: string): SavedSession | undefined {
  return sessionsIn(paths.project(cwd))[0]
}

function sessionsIn(project: string): SavedSession[] {
  if (!existsSync(project)) return []
  const paths = readdirSync(project)
    .filter(name => name.endsWith('.jsonl'))
    .map(name => join(project, name))
  return paths.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs).map(savedSession)
}

function directoriesIn(path: string): string[] {
  return existsSync(path) ? readdirSync(path) : []
}

function savedSession(path: string): SavedSession {
  const lines = readTranscript(path)
  const mode = lines.findLast(line => line.type === 'permission-mode')?.permissionMode
  return {
    sessionId: basename(path, '.jsonl'),
    path,
    lines,
    name: lines.findLast(line => line.type === 'custom-title')?.customTitle as string | undefined,
    mode: typeof mode === 'string' ? modeFromWord(mode) : undefined,
  }
}

/** The part of a saved conversation that is shown after a resume. */
export function entriesOf(lines: readonly Line[]): Entry[] {
  return lines.flatMap(line => {
    const content = (line.message as { content?: unknown } | undefined)?.content
    if (line.type === 'user' && typeof content === 'string')
      return [{ kind: 'user', text: spokenPart(content) }]
    if (line.type !== 'assistant' || !Array.isArray(content)) return []
    return content.flatMap((block: Line): Entry[] =>
      block.type === 'text' ? [{ kind: 'assistant', text: String(block.text) }] : [],
    )
  })
}
