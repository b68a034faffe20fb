import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../errors.ts'
import { writeFileAtomically } from '../io/files.ts'
import { isMissionId, type MissionId } from '../mission-id.ts'
import type { Paths } from '../paths.ts'

/** The panic switch: while its file is there, nothing is approved. */
export interface Holds {
  /** Since when everything is held; null when it is not. */
  all: string | null
  missions: MissionId[]
}

const fileName = 'hold'

function holdPath(paths: Paths, mission: MissionId | null): string {
  return join(mission === null ? paths.home : paths.mission(mission).root, fileName)
}

export function hold(paths: Paths, mission: MissionId | null, now: Date): void {
  writeFileAtomically(holdPath(paths, mission), `${now.toISOString()}\n`)
}

/** Without a mission every hold ends, those of single missions too. */
export function releaseHold(paths: Paths, mission: MissionId | null): void {
  const released = mission === null ? readHolds(paths).missions : [mission]
  for (const id of released) rmSync(holdPath(paths, id), { force: true })
  if (mission === null) rmSync(holdPath(paths, null), { force: true })
}

export function isHeld(paths: Paths, mission: MissionId): boolean {
  return heldSince(holdPath(paths, null)) !== null || heldSince(holdPath(paths, mission)) !== null
}

export function readHolds(paths: Paths): Holds {
  const missions = missionsIn(paths.missions).filter(id => heldSince(holdPath(paths, id)) !== null)
  return { all: heldSince(holdPath(paths, null)), missions }
}

/** What cannot be looked at counts as held. */
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
