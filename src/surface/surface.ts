import type { StdioOptions } from 'node:child_process'
import type { State, WaitingFor } from '../db/missions.ts'
import type { MissionId } from '../mission-id.ts'

export interface ShownMission {
  id: MissionId
  name: string | null
  repo: string | null
}

export interface ShownState {
  state: State
  waitingFor: WaitingFor | null
  /** Claude has finished a turn since the state that was shown before. */
  isDone: boolean
}

export interface OpenStdio {
  stdio: StdioOptions
  /** Closes what was opened for the agent, once the agent has it. */
  close(): void
}

/** Where a mission shows: a tmux window or this terminal. The wrapper is the same for all of them. */
export interface Surface {
  /** A shell waits below, to which the terminal returns. Otherwise the surface closes with this process. */
  readonly hasShellBelow: boolean
  /** Opens what the agent gets as stdin, stdout and stderr. With a prompt, stdin is its file. */
  openStdio(promptPath: string | null): OpenStdio
  /** Shows a state. Returns whether the user is looking at this surface, or null if that is unknown. */
  show(mission: ShownMission, shown: ShownState): boolean | null
  rename(mission: ShownMission): void
  /** Calls a user who looks elsewhere. */
  alert(mission: ShownMission, words: string): void
  /** The mission no longer runs here, but the surface stays open until an error was read. */
  abandon(): void
  /** Puts the terminal in order after an agent that was killed. */
  restore(): void
  /** After a hangup: whether the surface was lost, rather than closed by the user. */
  wasTakenAway(): Promise<boolean>
  /** The last thing to do before this process ends. A mission that was stopped by a command moves no client. */
  leave(options: { isStopped: boolean }): void
  /** The exit code is read by no one, so a process that was ended by a signal may die of it. */
  readonly diesOfSignals: boolean
}
