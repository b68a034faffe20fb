import type { ChildProcess, StdioOptions } from 'node:child_process'
import type { State, WaitingFor } from '../db/missions.ts'
import type { MissionId } from '../mission-id.ts'

export interface ShownMission {
  id: MissionId
  name: string | null
  repo: string | null
}

export interface ShownState {
  /** `crashed` for a surface that stays open only to show why the mission ended. */
  state: State | 'crashed'
  waitingFor: WaitingFor | null
  /** Claude has finished a turn since the state that was shown before. */
  isDone: boolean
}

export interface OpenStdio {
  stdio: StdioOptions
  /** Closes the files that were opened for the agent. Call it after the agent has started. */
  close(): void
}

/** A way to press keys in the agent's terminal. Each call returns false if the keys may not have arrived. */
export interface Keyboard {
  press(keys: readonly string[]): boolean
  paste(text: string): boolean
}

/** The place where a mission is shown: a tmux window, this terminal, or none. The wrapper is the same for all. */
export interface Surface {
  /** True if there is no terminal, so that no user sees the mission or presses a key. */
  readonly isHeadless: boolean
  /** True if a shell takes the terminal back afterwards. Otherwise the surface closes together with this process. */
  readonly hasShellBelow: boolean
  /** Null if only the user can press keys here. */
  readonly keyboard: Keyboard | null
  /** Opens the stdin, stdout and stderr of the agent. If there is a prompt, stdin is the prompt's file. */
  openStdio(promptPath: string | null): OpenStdio
  /** Called with the agent right after its start. */
  onStarted(agent: ChildProcess): void
  /** Shows a state. Returns whether the user is looking at this surface, or null if that is unknown. */
  show(mission: ShownMission, shown: ShownState): boolean | null
  /** Alerts a user who is looking at something else. The words follow the mission's label. */
  alert(words: string): void
  /** Detaches the mission from the surface, which stays open until the user has read an error. */
  abandon(): void
  /** Resets the terminal after an agent that was killed. */
  restore(): void
  /** After a hangup, tells whether the surface was lost rather than closed by the user. */
  wasTakenAway(): Promise<boolean>
  /** Called last, before this process ends. If a command stopped the mission, its parent window is not selected. */
  leave(options: { isStopped: boolean }): void
  /** True if no process reads the exit code, so that a wrapper that was ended by a signal may die of it. */
  readonly diesOfSignals: boolean
}
