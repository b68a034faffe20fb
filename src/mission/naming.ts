import { cleanText, truncate } from '../io/text.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { displayName } from './display.ts'

export { displayName, displayRepo } from './display.ts'

const windowNameColumns = 40
const longestName = 300

export function windowName(mission: { id: MissionId; name: string | null; repo: string | null }): string {
  return truncate(`${shortId(mission.id)} ${displayName(mission)}`, windowNameColumns)
}

/** A name as a user gave it, cleaned; null where nothing is left of it. */
export function missionName(text: string): string | null {
  return [...cleanText(text)].slice(0, longestName).join('') || null
}
