import type { ChildProcess } from 'node:child_process'
import type { Config } from '../config/schema.ts'
import type { MissionId } from '../mission-id.ts'
import type { AgentStatus, ReplyChannel, Report } from './agent-report.ts'
import type { Conversation } from './command-line.ts'

/** Everything that is needed to start an agent. */
export interface StartRequest {
  missionId: MissionId
  /** Where it works. */
  directory: string
  /** Further variables for it and its tools. */
  variables: NodeJS.ProcessEnv
  conversation: Conversation
  /** Null to let Claude's own settings decide. */
  mode: string | null
  model: string | null
  name: string | null
  /** The user trusts the directory, so Claude need not ask. */
  isTrusted: boolean
  config: Config['claude']
}

/** A program that is ready to be started. */
export interface Launch {
  program: string
  args: string[]
  directory: string
  env: NodeJS.ProcessEnv
  /** The agent has keys that submit a text and do nothing in a dialog. */
  hasSubmitKeys: boolean
  /** Claude will open its trust dialog first. */
  asksForTrust: boolean
  /** Marks the directory as trusted again, in case another Claude has overwritten the entry. */
  confirmTrust: () => Promise<void>
}

/** Receives what a running agent reports outside of the spool. */
export interface AgentListener {
  onStatus(status: AgentStatus): void
  onReport(report: Report, channel: ReplyChannel | null): void
  /** A turn has ended. Only an agent with a direct line tells this. */
  onResult(result: TurnResult): void
  /** The user's usage limit has stopped the agent until then. */
  onUsageLimit(resetsAt: Date): void
  /** Whether the agent is doing something, so that its status will change soon. */
  isActive(): boolean
}

/** How a turn ended, as the agent itself counts it. */
export interface TurnResult {
  /** What it said last. Null if the turn was interrupted. */
  text: string | null
  isError: boolean
  /** How often the model was asked. */
  turns: number
  durationMs: number
  /** The cost of the whole conversation so far. */
  costUsd: number | null
  tokens: { input: number; output: number; cache_read: number; cache_write: number } | null
}

/** Follows one running agent. */
export interface Follower {
  /** Call it whenever the agent reports something. */
  refresh(): void
  close(): void
  /** Null if the agent can only be spoken to through its surface. */
  readonly line: DirectLine | null
  /** Where it takes messages of other agents now. Null if it takes none. */
  inbox?(): Inbox | null
}

/** A way to speak to a running agent that needs no keyboard. */
export interface DirectLine {
  /**
   * A busy agent takes it between two tools, or as its next turn. `prompt-taken` is reported then. Messages that wait at the
   * same time become one prompt, so submit the next one only when this one was taken.
   */
  submit(text: string): void
  /** Ends the turn, not the agent. */
  interrupt(): void
  /** Ends the turn, keeping what was said, and then the agent. */
  end(): void
}

/** Takes messages of other agents, whatever the agent does and whatever its user types. */
export interface Inbox {
  /** The id, a UUID, is in the transcript once the agent has taken the message. */
  send(message: { id: string; text: string }, onReceipt: (receipt: Receipt) => void): SentMessage
}

/**
 * `held`: the user is asked first. `released`: the user has agreed. `declined`: the user has not. `refused`: settings
 * forbid such messages. `expired`: the agent ended before the user answered. No receipt comes for a message that the
 * agent just takes.
 */
export type Receipt = 'held' | 'released' | 'declined' | 'refused' | 'dropped' | 'expired'

export interface SentMessage {
  /** False if the agent is gone, so that nothing was sent. */
  readonly isSent: Promise<boolean>
  /** No more receipts are needed. */
  close(): void
}

/**
 * One way to run an agent, as the wrapper sees it. The interactive Claude reports through hooks and its status file;
 * another way to run it would be another implementation of this.
 */
export interface Agent {
  /** Throws an error for the user if the agent cannot be started. */
  prepare(request: StartRequest): Promise<Launch>
  /** Parses a spooled file. Returns null if it is not a report. */
  readReport(data: unknown): Report | null
  /** Opens the channel on which the sender of a spooled report waits. Returns null if the sender does not wait. */
  openChannel(report: Report, sender: string): ReplyChannel | null
  follow(child: ChildProcess, listener: AgentListener): Follower
  /** The processes that the tools of an agent left running when it was killed. */
  leftTools(agentPid: number): number[]
}
