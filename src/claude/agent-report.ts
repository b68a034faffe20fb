/** One use of a tool, as Claude asks for it or reports it. */
export interface ToolUse {
  tool: string
  input: Record<string, unknown>
  /** The directory in which the tool runs. Null if Claude did not report it. */
  cwd: string | null
  /** Null in permission requests, because Claude gives them no id. */
  id: string | null
}

/** The dialogs that a tool can open. Rules never answer questions and plans. */
export type Dialog = 'permission' | 'question' | 'plan'

interface Common {
  /** The subagent that caused the report. Null for the main conversation. */
  agentId: string | null
  sessionId: string | null
  transcriptPath: string | null
  /** The permission mode at this moment. Null if the report does not contain it. */
  mode: string | null
}

interface ToolReport extends Common {
  use: ToolUse
  /** The dialog that this use opens. Null if it opens none. */
  dialog: Dialog | null
  /** The question to the user, on one line. */
  question: string | null
  /** The plan file that Claude presents or has written. */
  planPath: string | null
}

/** An event that an agent reports to the wrapper. Code outside src/claude does not know where a report comes from. */
export type Report =
  /** A conversation was opened. A compacted one continues in the middle of a turn. */
  | (Common & { kind: 'opened'; origin: 'new' | 'resumed' | 'forked' | 'compacted' })
  | (Common & { kind: 'prompt-taken'; prompt: string | null })
  /** Sent before every tool. */
  | (ToolReport & { kind: 'about-to-use' })
  | (ToolReport & { kind: 'asks' })
  /** The tool has ended, successfully or not. */
  | (ToolReport & { kind: 'used' })
  | (Common & {
      kind: 'turn-ended'
      hasBackgroundTasks: boolean
      lastMessage: string | null
      /** Claude's word for the error that ended the turn, such as `rate_limit`. Null if the turn succeeded. */
      failure: string | null
    })
  | (Common & { kind: 'subagent-ended' })
  /** Another conversation takes the place of this one. */
  | (Common & { kind: 'replaced' })
  | (Common & { kind: 'closed' })
  /** Late reminders, which matter only for versions that report nothing sooner. */
  | (Common & { kind: 'still-asks' })
  | (Common & { kind: 'still-idle' })
  | (Common & { kind: 'other' })

/** The status that an agent publishes apart from its reports. */
export interface AgentStatus {
  /** `background`: the conversation is idle while tasks continue. `unknown`: a status that agenc does not know. */
  activity: 'idle' | 'background' | 'busy' | 'waiting' | 'unknown'
  /** The open dialog, if the status names one. It calls plans `permission`. */
  dialog: 'permission' | 'question' | null
  updatedAtMs: number
  /** The conversation's name, if the user gave it one. */
  userName: string | null
}

/** What comes with an approval. */
export interface Allowance {
  /** The permission mode that Claude switches to. */
  mode?: string
  /** Replaces the tool's input. */
  input?: Record<string, unknown>
}

/** The channel on which the sender of a report waits for an answer. */
export interface ReplyChannel {
  /** Tells the sender that an answer will follow. If this process ends first, even by `kill -9`, the wait ends too. */
  keepWaiting(): void
  /** Like `deny` and `askUser`, returns false if the sender is gone and the answer came too late. */
  allow(options?: Allowance): boolean
  /** A prompt that is denied returns to Claude's prompt box. */
  deny(message: string): boolean
  /** Makes Claude ask the user about a tool that it would run without asking. Only for `about-to-use`. */
  askUser(message: string): boolean
  /** Lets Claude continue as if there were no wrapper. */
  release(): void
  /** Lets the sender print the output that is meant for a missing wrapper. */
  giveUp(): void
}
