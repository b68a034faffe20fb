import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import type { MissionRecord, State, WaitingFor } from '../db/missions.ts'
import { missionDirectory } from '../mission/mission-directory.ts'
import type { MissionChanged } from '../mission/service.ts'
import type { Surface } from '../surface/surface.ts'
import type { Log } from './log.ts'
import { runNotifyCommand } from './notify-command.ts'
import type { Requests } from './permission-requests.ts'
import { waitingWords } from './waiting-words.ts'

/** Claude's status may arrive before the hook's report, which tells whether a rule will answer. */
const hookMs = 300

interface Presented {
  state: State
  waitingFor: WaitingFor | null
  /** True if a rule is about to answer, so that the user is not alerted. */
  isHandled: boolean
}

type ShownRequests = Pick<Requests, 'hasOpen' | 'isHandled' | 'forUser'>

/** Shows a mission's state on its surface, and alerts the user unless a rule is about to answer. */
export class StatePresenter {
  readonly #context: Context
  readonly #config: Config['notify']
  readonly #surface: Surface
  readonly #requests: ShownRequests
  readonly #record: () => MissionRecord
  readonly #log: Log
  #presented: Presented | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(
    context: Context,
    config: Config['notify'],
    surface: Surface,
    requests: ShownRequests,
    record: () => MissionRecord,
    log: Log,
  ) {
    this.#context = context
    this.#config = config
    this.#surface = surface
    this.#requests = requests
    this.#record = record
    this.#log = log
  }

  /** Subscribe this to the mission service. */
  readonly onChanged = ({ change }: MissionChanged): void => {
    if ('state' in change) this.#presentSoon(change.waiting_for ?? null)
  }

  /** Call it when a request passes from a rule to the user, or back. The state itself does not change then. */
  refresh(): void {
    this.close()
    if (this.#presented) this.#present(this.#requests.isHandled)
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  #presentSoon(waitingFor: WaitingFor | null): void {
    const isEarly = waitingFor === 'permission' && !this.#requests.hasOpen
    this.#present(isEarly || this.#requests.isHandled)
    if (isEarly) this.#timer ??= setTimeout(() => this.refresh(), hookMs)
  }

  #present(isHandled: boolean): void {
    this.#try(() => {
      const mission = this.#record()
      const before = this.#presented
      const next = { state: mission.state ?? 'starting', waitingFor: mission.waiting_for, isHandled }
      this.#presented = next
      if (before && isSame(before, next)) return
      const isDone = before?.state === 'busy' && next.state === 'idle'
      const isWatched = this.#surface.show(mission, { ...next, isDone })
      const startsToWait = callsForUser(next) && !(before && callsForUser(before))
      if (isWatched === false && (isDone || startsToWait)) this.#callUser(mission, next)
    })
  }

  #callUser(mission: MissionRecord, { state, waitingFor }: Presented): void {
    const directory = missionDirectory(this.#context.paths, mission)
    const words =
      state === 'waiting' ? waitingWords(waitingFor, this.#requests.forUser, directory) : 'is done'
    this.#surface.alert(words)
    if (this.#config.command)
      runNotifyCommand(this.#context, this.#config.command, mission, { state, waitingFor })
  }

  #try(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#log(`not shown: ${String(error)}`)
    }
  }
}

function isSame(before: Presented, next: Presented): boolean {
  return (
    before.state === next.state &&
    before.waitingFor === next.waitingFor &&
    before.isHandled === next.isHandled
  )
}

function callsForUser({ state, isHandled }: Presented): boolean {
  return state === 'waiting' && !isHandled
}
