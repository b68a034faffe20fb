import { cleanText, truncate } from '../io/text.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { displayRepo } from '../repo/reference.ts'
import type { WindowLabels } from '../tmux/windows.ts'

const windowNameColumns = 40
const labelColumns = 24
const longestName = 300
const blankRepo = '(blank)'

interface Named {
  name: string | null
  repo: string | null
}

/** The mission's name or, if it has none, its repo. */
export function displayName(mission: Named): string {
  if (mission.name) return cleanText(mission.name)
  return mission.repo ? displayRepo(mission.repo) : blankRepo
}

export function windowName(mission: Named & { id: MissionId }): string {
  return truncate(`${shortId(mission.id)} ${displayName(mission)}`, windowNameColumns)
}

/** The mission's name or, if it has none, the last part of its repo. Two missions may have the same label. */
export function missionLabel({ name, repo }: Named): string {
  const label = name ? cleanText(name) : repo ? cleanText(repo.slice(repo.lastIndexOf('/') + 1)) : blankRepo
  return truncate(label, labelColumns)
}

/** The labels of a mission's tmux window. */
export function windowLabels(mission: Named & { id: MissionId }): WindowLabels {
  return {
    missionId: mission.id,
    windowName: windowName(mission),
    label: missionLabel(mission),
    shortId: shortId(mission.id),
    repo: mission.repo ? displayRepo(mission.repo) : blankRepo,
    name: mission.name ? displayName(mission) : '',
  }
}

/** Cleans a name that the user gave. Returns null if nothing is left of it. */
export function missionName(text: string): string | null {
  return [...cleanText(text)].slice(0, longestName).join('') || null
}
