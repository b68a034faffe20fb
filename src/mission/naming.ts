import { cleanText, truncate } from '../io/text.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { displayRepo } from '../repo/reference.ts'
import type { WindowLabels } from '../tmux/windows.ts'

const windowNameColumns = 40
const longestName = 300

interface Named {
  name: string | null
  repo: string | null
}

/** The mission's name or, if it has none, its repo. */
export function displayName(mission: Named): string {
  if (mission.name) return cleanText(mission.name)
  return mission.repo ? displayRepo(mission.repo) : '(blank)'
}

export function windowName(mission: Named & { id: MissionId }): string {
  return truncate(`${shortId(mission.id)} ${displayName(mission)}`, windowNameColumns)
}

/** The labels of a mission's tmux window. */
export function windowLabels(mission: Named & { id: MissionId }): WindowLabels {
  return {
    missionId: mission.id,
    windowName: windowName(mission),
    shortId: shortId(mission.id),
    repo: mission.repo ? displayRepo(mission.repo) : '(blank)',
    name: mission.name ? displayName(mission) : '',
  }
}

/** Cleans a name that the user gave. Returns null if nothing is left of it. */
export function missionName(text: string): string | null {
  return [...cleanText(text)].slice(0, longestName).join('') || null
}
