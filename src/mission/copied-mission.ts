import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { claudeLocations } from '../claude/claude-locations.ts'
import { isTrusted } from '../claude/trust.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { AgencError } from '../errors.ts'
import { shellWord } from '../io/shell-quote.ts'
import type { DirectorySource } from './directory.ts'
import { missionDirectory } from './mission-directory.ts'
import { missionTitle } from './tell-done.ts'

/** The files of a mission as the source of another one. Throws if a copy of them would do harm. */
export function copyOf(context: Context, mission: MissionRecord): DirectorySource {
  const directory = missionDirectory(context.paths, mission)
  if (mission.dir !== null) {
    refuseLinkedGit(mission, mission.dir)
    if (mission.repo === null) refuseUntrusted(context, mission, mission.dir)
  }
  return { kind: 'mission', id: mission.id, directory }
}

/** The git directory of a worktree or a submodule is elsewhere: a commit in the copy would change the original. */
function refuseLinkedGit(mission: MissionRecord, dir: string): void {
  if (!lstatSync(join(dir, '.git'), { throwIfNoEntry: false })?.isFile()) return
  throw new AgencError(
    `${missionTitle(mission)} works in a git worktree or submodule, which cannot be copied`,
    `Start another mission in the same directory: agenc mission new --dir ${shellWord(dir)} --force`,
  )
}

/** The copy has no repo, so its Claude will not ask. A Claude that has worked in the directory has asked there. */
function refuseUntrusted({ env }: Context, mission: MissionRecord, dir: string): void {
  if (mission.session_begun === 1 || isTrusted(claudeLocations(env).globalConfig, dir)) return
  throw new AgencError(
    `${missionTitle(mission)} works in a directory that you have not trusted yet`,
    "Answer Claude's question about that in the mission, then copy it.",
  )
}
