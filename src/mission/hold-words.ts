import { areAllHeld, isHeld } from '../approvals/hold.ts'
import type { Context } from '../context.ts'
import type { MissionRow } from './list.ts'
import { stateWord } from './state-word.ts'

type ListedMission = Pick<MissionRow, 'mission' | 'failedToStart'>

/** The state column of lists, with a mark for a running mission whose automatic approvals are paused. */
export function stateAndHold({ paths }: Context, { mission, failedToStart }: ListedMission): string {
  const isMarked = mission.status === 'running' && isHeld(paths, mission.id)
  return `${stateWord(mission, { failedToStart })}${isMarked ? ' (hold)' : ''}`
}

/** Says how to end a hold on all missions, if there is one. */
export function remindOfHold({ paths, err }: Context): void {
  if (areAllHeld(paths))
    err.line("Automatic approvals are paused for all missions. Resume them with 'agenc hold --release'.")
}
