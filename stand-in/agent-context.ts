import type { Tasks } from './background-tasks.ts'
import type { Shells } from './bash-tool.ts'
import { type AgentIdentity, type Session, toolEnv } from './claude-session.ts'
import type { Dialogs } from './dialogs.ts'
import { additionalContext, type HookEvent, type HookOutcome, type Hooks } from './hooks.ts'
import type { ToolUse } from './permissions.ts'
import type { Transcript } from './saved-conversations.ts'
import type { Entry } from './screen-content.ts'
import type { AppStart } from './startup.ts'

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

/** The part of the context that does not depend on whether there is a terminal. */
export function contextOf(
  { args, settings, env }: Pick<AppStart, 'args' | 'settings' | 'env'>,
  session: Session,
  hooks: Hooks,
): Pick<AgentContext, 'session' | 'childEnv' | 'rules' | 'fire'> {
  return {
    session,
    childEnv: () => toolEnv(env, session),
    rules: {
      allow: [...settings.allow, ...args.allowedTools],
      deny: [...settings.deny, ...args.disallowedTools],
    },
    fire: async (event, extra, { agent, ...options } = {}) => {
      const payload = session.payload(event, extra, agent)
      const outcomes = await hooks.run({ event, payload, ...options })
      if (event === 'SessionStart') session.transcript.tell(additionalContext(outcomes))
      return outcomes
    },
  }
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
