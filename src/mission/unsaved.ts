import { existsSync } from 'node:fs'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/mission-record.ts'
import { libraryPath } from '../repo/library.ts'
import { describeUnsavedWork } from '../repo/unsaved-work.ts'

/** In words, what deleting the mission's directory would destroy; empty when nothing. */
export function whatWouldBeLost(context: Context, mission: MissionRecord): string[] {
  const { exec, env, paths } = context
  const { agent } = paths.mission(mission.id)
  if (!existsSync(agent)) return []
  const library = mission.repo === null ? undefined : libraryPath(paths.repos, mission.repo)
  return describeUnsavedWork({ exec, env, directory: agent, library })
}
