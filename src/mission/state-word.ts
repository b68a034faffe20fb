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

/** What a person wants to know first: what the mission does, or why it does nothing. */
export function stateWord(mission: MissionJson): string {
  if (mission.status !== 'running') return mission.status
  if (mission.state === 'waiting' && mission.waiting_for) return `waiting: ${mission.waiting_for}`
  return `${mission.state}${mission.background ? ' +bg' : ''}`
}
