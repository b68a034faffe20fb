import type { ChildProcess } from 'node:child_process'
import type { Config } from '../config/schema.ts'
import type { MissionId } from '../mission-id.ts'
import type { Conversation } from './command-line.ts'
import type { AgentStatus, ReplyChannel, Report } from './report.ts'

/** What has to be known to start an agent. */
export interface StartRequest {
  missionId: MissionId
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
  env: NodeJS.ProcessEnv
  /** Claude will open its trust dialog first. */
  asksForTrust: boolean
  /** Enters the directory as trusted again, in case another Claude has overwritten the entry. */
  confirmTrust: () => Promise<void>
}

/** Hears what a running agent says outside of the spool. */
export interface AgentListener {
  onStatus(status: AgentStatus): void
  onReport(report: Report, channel: ReplyChannel | null): void
  /** Whether something is going on, so that a change is to be expected. */
  isActive(): boolean
}

/** Follows one running agent. */
export interface Follower {
  /** Called at each sign of life. */
  refresh(): void
  close(): void
}

/**
 * One way to run an agent, as the wrapper sees it. The interactive Claude reports through hooks and its status file;
 * another way to run it would be another implementation of this.
 */
export interface Agent {
  /** Throws, in words for the user, what would keep the agent from starting. */
  prepare(request: StartRequest): Promise<Launch>
  /** Reads what the agent left in the spool; null if it is not a report. */
  readReport(data: unknown): Report | null
  /** Opens the channel on which the sender of a spooled report waits; null if none waits. */
  openChannel(report: Report, sender: string): ReplyChannel | null
  follow(child: ChildProcess, listener: AgentListener): Follower
}
