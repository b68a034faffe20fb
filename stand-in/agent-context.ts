import type { Tasks } from './background-tasks.ts'
import type { Shells } from './bash-tool.ts'
import type { AgentIdentity, Session } from './claude-session.ts'
import type { Dialogs } from './dialogs.ts'
import type { HookEvent, HookOutcome } from './hooks.ts'
import type { ToolUse } from './permissions.ts'
import type { Transcript } from './saved-conversations.ts'
import type { Entry } from './screen-content.ts'

export interface FireOptions {
  subject?: string
  signal?: AbortSignal
  agent?: AgentIdentity
}

/** Everything that an agent reads or acts on while it answers a prompt. */
export interface AgentContext {
  session: Session
  dialogs: Dialogs
  shells: Shells
  tasks: Tasks
  /** Aborted as soon as the program starts to exit. Nothing new may begin after that. */
  ending: AbortSignal
  /** The environment of every process that a tool starts. */
  childEnv: () => NodeJS.ProcessEnv
  /** Rules from the command line and the settings, and rules that the user added in a dialog. */
  rules: { allow: string[]; deny: string[] }
  fire(event: HookEvent, extra: Record<string, unknown>, options?: FireOptions): Promise<HookOutcome[]>
  /** Adds an entry to the conversation. The returned function replaces that entry. */
  show(entry: Entry): (entry: Entry) => void
  /** Asks the program that started a Claude without a terminal. Undefined on a terminal, where a dialog opens. */
  askHost?(tool: ToolUse, signal: AbortSignal): Promise<void>
  /** Queues a prompt that Claude writes to itself. It is answered after the current turn. */
  notify(prompt: string): void
  changed(): void
  /** Gives the model the prompts that were queued since its last request. */
  absorbQueue(): Promise<void>
}

/** One agent at work on one prompt. */
export interface AgentRun {
  context: AgentContext
  transcript: Transcript
  /** Undefined for the main agent. */
  agent?: AgentIdentity
  signal: AbortSignal
}

/** Thrown when the user stops a turn, or when a hook does so for the user. */
export class Interrupted extends Error {
  override name = 'Interrupted'
}

export function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new Interrupted()
}
