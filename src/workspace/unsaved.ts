import { existsSync } from 'node:fs'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../mission/record.ts'
import { describeUnsavedWork } from '../repo/unsaved-work.ts'

/** In words, what deleting the mission's directory would destroy; empty when nothing. */
export function whatWouldBeLost(context: Context, mission: MissionRecord): string[] {
  const { agent } = context.paths.mission(mission.id)
  return existsSync(agent)
    ? describeUnsavedWork({ exec: context.exec, env: context.env, directory: agent })
    : []
}
