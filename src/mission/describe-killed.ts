import type { MissionRecord } from '../db/missions.ts'
import { shortId } from '../mission-id.ts'
import { displayName } from './naming.ts'

const most = 5

/** Names a few missions in one line. */
export function listed(missions: readonly MissionRecord[]): string {
  const names = missions.slice(0, most).map(mission => `${shortId(mission.id)} ${displayName(mission)}`)
  const more = missions.length - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** What `tmux kill` has ended. */
export function describeKilled(missions: readonly MissionRecord[]): string {
  if (missions.length === 0) return 'Ended the agenc session. No mission was running.'
  const count = missions.length === 1 ? '1 mission' : `${missions.length} missions`
  return `Ended the agenc session and ${count}: ${listed(missions)}. Bring back with: agenc tmux restore`
}
