import { basename, dirname } from 'node:path'
import { cleanText, truncate } from '../io/text.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { displayRepo } from '../repo/reference.ts'
import type { WindowLabels } from '../tmux/windows.ts'
import { changedLines } from './changes-words.ts'

const windowNameColumns = 40
const labelColumns = 24
const longestName = 300
const blankRepo = '(blank)'

interface Placed {
  id: MissionId
  repo: string | null
  /** As in the record or as in JSON, where it is never null. */
  dir?: string | null
}

interface Named extends Placed {
  name: string | null
}

/** The mission's name or, if it has none, its repo or the end of the path that it was given. */
export function displayName(mission: Named): string {
  if (mission.name) return cleanText(mission.name)
  const given = givenPath(mission)
  return given === null
    ? repoOrDirectory(mission)
    : cleanText(`${basename(dirname(given))}/${basename(given)}`)
}

/** The mission's repo or, if it has none, the directory that it was given. */
export function repoOrDirectory(mission: Placed): string {
  if (mission.repo) return displayRepo(mission.repo)
  return cleanText(givenPath(mission) ?? blankRepo)
}

/** The directory that a mission without a repo was given with `--dir`, or null. */
function givenPath({ id, repo, dir = null }: Placed): string | null {
  return repo || dir?.endsWith(`/missions/${id}/agent`) ? null : dir
}

export function windowName(mission: Named): string {
  return truncate(`${shortId(mission.id)} ${displayName(mission)}`, windowNameColumns)
}

/** The mission's name or, if it has none, the last part of its repo or directory. Two missions may have the same label. */
export function missionLabel(mission: Named): string {
  const place = mission.repo ?? givenPath(mission) ?? blankRepo
  return truncate(cleanText(mission.name || place.slice(place.lastIndexOf('/') + 1)), labelColumns)
}

/** The labels of a mission's tmux window. */
export function windowLabels(mission: Named & { changes?: string | null }): WindowLabels {
  return {
    missionId: mission.id,
    windowName: windowName(mission),
    label: missionLabel(mission),
    shortId: shortId(mission.id),
    repo: repoOrDirectory(mission),
    name: mission.name ? displayName(mission) : '',
    changes: mission.changes ? changedLines(JSON.parse(mission.changes)) : '',
  }
}

/** Cleans a name that the user gave. Returns null if nothing is left of it. */
export function missionName(text: string): string | null {
  return [...cleanText(text)].slice(0, longestName).join('') || null
}
