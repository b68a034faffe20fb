import type { Status } from '../../../src/mission/mission-status.ts'
import type { Expectations } from '../assert-healthy.ts'

/** A mission as it must be, whatever was done to it. */
export interface ModelMission {
  /** In the order in which they were made: ids differ from run to run. */
  number: number
  id: string
  sessionId: string
  status: Status
  /** What its Claude does if it runs. */
  state: 'idle' | 'busy' | 'waiting'
  prompts: string[]
  /** If it has crashed: its window shows why. */
  isExplained?: boolean
  /** If it has stopped: the last `agenc tmux kill` ended it. */
  isKilled?: boolean
}

/** Everything that a run expects. Operations are chosen by it alone, so equal seeds give equal operations. */
export class Model {
  readonly missions: ModelMission[] = []
  readonly mostMissions: number
  readonly mostRunning: number
  #made = 0
  #prompts = 0

  constructor(mostMissions: number) {
    this.mostMissions = mostMissions
    this.mostRunning = Math.max(3, Math.ceil(mostMissions / 3))
  }

  with(...statuses: Status[]): ModelMission[] {
    return this.missions.filter(({ status }) => statuses.includes(status))
  }

  running(...states: ModelMission['state'][]): ModelMission[] {
    return this.with('running').filter(({ state }) => states.length === 0 || states.includes(state))
  }

  /** Missions with a window that shows why they ended. */
  explained(): ModelMission[] {
    return this.with('crashed').filter(({ isExplained }) => isExplained)
  }

  restorable(): ModelMission[] {
    return [...this.with('crashed'), ...this.with('stopped').filter(({ isKilled }) => isKilled)]
  }

  hasRoom(): boolean {
    return this.missions.length < this.mostMissions && this.mayRunMore()
  }

  mayRunMore(): boolean {
    return this.running().length < this.mostRunning
  }

  hasSession(): boolean {
    return this.running().length + this.explained().length > 0
  }

  nextNumber(): number {
    this.#made += 1
    return this.#made
  }

  /** A prompt that no other mission has. */
  nextPrompt(script: string): string {
    this.#prompts += 1
    return `Prompt ${this.#prompts}. ${script}`
  }

  remove(mission: ModelMission): void {
    this.missions.splice(this.missions.indexOf(mission), 1)
  }

  expectations(): Expectations {
    const missions = this.missions.map(({ id, status, sessionId, prompts }) => {
      return [id, { status, sessionId, prompts }] as const
    })
    return { missions: new Map(missions), explanations: this.explained().length }
  }
}
