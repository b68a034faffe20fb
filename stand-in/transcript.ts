import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { PermissionMode } from './modes.ts'
import { claudeVersion, modelId } from './version.ts'

export type Line = Record<string, unknown>

export interface TranscriptHead {
  sessionId: string
  cwd: string
  mode: PermissionMode
  name?: string
}

/** One conversation on disk. The file comes into being with the first message, not before. */
export class Transcript {
  readonly path: string
  private readonly head: () => TranscriptHead
  private readonly saving: boolean
  private parent: string | null = null
  /** The lines of the conversation this one was forked from, written down with the first message. */
  private inherited: Line[] = []

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

  user(content: unknown, extra: Line = {}): void {
    this.begin()
    this.message('user', { role: 'user', content }, { permissionMode: this.head().mode, ...extra })
  }

  assistant(content: Line[], stopReason: 'end_turn' | 'tool_use'): void {
    this.message('assistant', {
      id: `msg_${randomUUID()}`,
      type: 'message',
      role: 'assistant',
      model: modelId,
      content,
      stop_reason: stopReason,
    })
  }

  /** A hook's answer to a permission request was taken. */
  hookDecision(toolUseID: string, decision: 'allow' | 'deny'): void {
    const attachment = {
      type: 'hook_permission_decision',
      decision,
      toolUseID,
      hookEvent: 'PermissionRequest',
    }
    this.append({ type: 'attachment', attachment })
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
    this.write({
      parentUuid: this.parent,
      isSidechain: false,
      type,
      message,
      uuid,
      timestamp,
      ...extra,
      ...place,
    })
    this.parent = uuid
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
