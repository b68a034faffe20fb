import type { Style } from '../io/colour.ts'
import type { MissionJson } from './mission-json.ts'

const stateStyles: Record<string, Style> = {
  done: 'magenta',
  waiting: 'yellow',
  busy: 'green',
  idle: 'cyan',
  starting: 'dim',
  crashed: 'red',
  stopped: 'dim',
  archived: 'dim',
}

export function stateStyle({ done_unseen, state, status }: MissionJson): Style | undefined {
  return stateStyles[done_unseen ? 'done' : (state ?? status)]
}

/** The state column of lists: the activity of a running mission, otherwise its status. `done` is idle, and unseen. */
export function stateWord(mission: MissionJson, { failedToStart = false } = {}): string {
  if (failedToStart) return 'failed to start'
  if (mission.status !== 'running') return mission.status
  if (mission.state === 'waiting' && mission.waiting_for) return `waiting: ${mission.waiting_for}`
  return `${mission.done_unseen ? 'done' : mission.state}${mission.background ? ' +bg' : ''}`
}
