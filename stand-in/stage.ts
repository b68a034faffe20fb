import type { Tasks } from './background-tasks.ts'
import type { Shells } from './bash-tool.ts'
import type { AgentIdentity, Session } from './claude-session.ts'
import type { Dialogs } from './dialogs.ts'
import type { HookEvent, HookOutcome } from './hooks.ts'
import type { Entry } from './screen-content.ts'

export interface FireOptions {
  subject?: string
  signal?: AbortSignal
  agent?: AgentIdentity
}

/** What a conversation acts on. */
export interface Stage {
  session: Session
  dialogs: Dialogs
  shells: Shells
  tasks: Tasks
  /** The program is being left: nothing new begins. */
  ending: AbortSignal
  /** The environment of whatever Claude starts. */
  childEnv: () => NodeJS.ProcessEnv
  /** Rules of the command line, of the settings, and those the user added since. */
  rules: { allow: string[]; deny: string[] }
  fire(event: HookEvent, extra: Record<string, unknown>, options?: FireOptions): Promise<HookOutcome[]>
  /** Adds an entry; calling what it returns changes it. */
  show(entry: Entry): (entry: Entry) => void
  /** A prompt that Claude gives itself, answered when the turn at hand is over. */
  notify(prompt: string): void
  changed(): void
}

/** The turn was stopped by the user, or by a hook on the user's behalf. */
export class Interrupted extends Error {
  override name = 'Interrupted'
}

export function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new Interrupted()
}
