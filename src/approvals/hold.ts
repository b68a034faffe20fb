import { readdirSync, rmSync, statSync } from 'node:fs'
import { errorCode } from '../errors.ts'
import { writeFileAtomically } from '../io/files.ts'
import { isMissionId, type MissionId } from '../mission-id.ts'
import type { Paths } from '../paths.ts'

/** A hold file pauses automatic approvals: in agenc's home for all missions, in a mission's directory for that one. */
export interface Holds {
  /** When the hold on all missions began; null if there is none. */
  all: string | null
  missions: MissionId[]
}

function holdPath(paths: Paths, mission: MissionId | null): string {
  return mission === null ? paths.hold : paths.mission(mission).hold
}

export function hold(paths: Paths, mission: MissionId | null, now: Date): void {
  writeFileAtomically(holdPath(paths, mission), `${now.toISOString()}\n`)
}

/** Without a mission, releases every hold, including those on single missions. */
export function releaseHold(paths: Paths, mission: MissionId | null): void {
  const released = mission === null ? readHolds(paths).missions : [mission]
  for (const id of released) rmSync(holdPath(paths, id), { force: true })
  if (mission === null) rmSync(holdPath(paths, null), { force: true })
}

export function areAllHeld(paths: Paths): boolean {
  return heldSince(holdPath(paths, null)) !== null
}

export function isHeld(paths: Paths, mission: MissionId): boolean {
  return areAllHeld(paths) || heldSince(holdPath(paths, mission)) !== null
}

export function readHolds(paths: Paths): Holds {
  const missions = missionsIn(paths.missions).filter(id => heldSince(holdPath(paths, id)) !== null)
  return { all: heldSince(holdPath(paths, null)), missions }
}

/** A file that cannot be examined counts as a hold, to be safe. */
function heldSince(path: string): string | null {
  try {
    return statSync(path).mtime.toISOString()
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? null : new Date(0).toISOString()
  }
}

function missionsIn(directory: string): MissionId[] {
  try {
    return readdirSync(directory).filter(isMissionId)
  } catch {
    return []
  }
}
