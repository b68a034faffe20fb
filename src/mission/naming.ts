import { cleanText, truncate } from '../io/text.ts'
import { type MissionId, shortId } from './id.ts'

const windowNameColumns = 40
const longestName = 300

/** `owner/name` where the host is the usual one, the whole id elsewhere. */
export function displayRepo(repo: string): string {
  return cleanText(repo.replace(/^github\.com\//, ''))
}

/** What people call a mission: its name, else its repo. */
export function displayName(mission: { name: string | null; repo: string | null }): string {
  if (mission.name) return cleanText(mission.name)
  return mission.repo ? displayRepo(mission.repo) : '(blank)'
}

export function windowName(mission: { id: MissionId; name: string | null; repo: string | null }): string {
  return truncate(`${shortId(mission.id)} ${displayName(mission)}`, windowNameColumns)
}

/** A name as a user gave it, cleaned; null where nothing is left of it. */
export function missionName(text: string): string | null {
  return [...cleanText(text)].slice(0, longestName).join('') || null
}
