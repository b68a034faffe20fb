import type { Style } from '../io/colour.ts'
import type { MissionJson } from './mission-json.ts'

export const stateStyles: Record<string, Style> = {
  waiting: 'yellow',
  busy: 'green',
  idle: 'cyan',
  starting: 'dim',
  crashed: 'red',
  stopped: 'dim',
  archived: 'dim',
}

/** The state column of lists: the activity of a running mission, otherwise its status. */
export function stateWord(mission: MissionJson): string {
  if (mission.status !== 'running') return mission.status
  if (mission.state === 'waiting' && mission.waiting_for) return `waiting: ${mission.waiting_for}`
  return `${mission.state}${mission.background ? ' +bg' : ''}`
}
