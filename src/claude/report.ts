/** One use of a tool, as Claude asks for it or reports it. */
export interface ToolUse {
  tool: string
  input: Record<string, unknown>
  /** Where the tool would run; null if Claude did not say. */
  cwd: string | null
  /** Null in permission requests, to which Claude gives no id. */
  id: string | null
}

/** The dialogs that a tool can open. Questions and plans can only be answered by the user. */
export type Dialog = 'permission' | 'question' | 'plan'

interface Common {
  /** The subagent that caused the report; null for the main conversation. */
  agentId: string | null
  sessionId: string | null
  transcriptPath: string | null
  /** The permission mode at this moment; null if the report does not tell. */
  mode: string | null
}

interface ToolReport extends Common {
  use: ToolUse
  /** The dialog that this use opens; null if it opens none. */
  dialog: Dialog | null
  /** What Claude asks the user, on one line. */
  question: string | null
  /** The plan file that Claude presents or has written. */
  planPath: string | null
}

/** What an agent tells the wrapper, in agenc's own words. No other room knows where a report comes from. */
export type Report =
  /** A conversation is open. A compacted one goes on in the middle of a turn. */
  | (Common & { kind: 'opened'; origin: 'new' | 'resumed' | 'forked' | 'compacted' })
  | (Common & { kind: 'prompt-taken' })
  /** Sent before every tool. */
  | (ToolReport & { kind: 'about-to-use' })
  | (ToolReport & { kind: 'asks' })
  /** The tool has ended, successfully or not. */
  | (ToolReport & { kind: 'used' })
  | (Common & { kind: 'turn-ended'; hasBackgroundTasks: boolean })
  | (Common & { kind: 'subagent-ended' })
  /** Another conversation takes the place of this one. */
  | (Common & { kind: 'replaced' })
  | (Common & { kind: 'closed' })
  /** Late reminders, useful only for versions that report nothing sooner. */
  | (Common & { kind: 'still-asks' })
  | (Common & { kind: 'still-idle' })
  | (Common & { kind: 'other' })

export type RequestReport = Report & { kind: 'asks' | 'about-to-use' }
export type UsedReport = Report & { kind: 'used' }

/** What an agent says about itself at one moment, apart from reports. */
export interface AgentStatus {
  /** `background`: the conversation rests, but tasks go on. `unknown`: a word that agenc does not know. */
  activity: 'idle' | 'background' | 'busy' | 'waiting' | 'unknown'
  /** The dialog that it waits with, if it names one. Plans are shown as `permission`. */
  dialog: 'permission' | 'question' | null
  updatedAtMs: number
  /** The conversation's name, if the user gave it one. */
  userName: string | null
}

/** Where the sender of a report waits for an answer. */
export interface ReplyChannel {
  /** Tells the sender that an answer will follow. Its wait then ends with this process, however that ends. */
  keepWaiting(): void
  /** Each of these returns false if the sender is gone, so that the answer comes too late. */
  allow(options?: { mode?: string }): boolean
  deny(message: string): boolean
  /** Only before a tool that Claude may run without asking: makes it ask the user. */
  askUser(message: string): boolean
  /** Lets Claude go on as if there were no wrapper. */
  release(): void
  /** Lets the sender say what it says when no wrapper answers. */
  giveUp(): void
}
