import { readConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { refuseUsersVoice, refuseWiderChange } from './agent-rights.ts'
import { callerOf } from './calling-mission.ts'
import { isChildOf, limitsForAgent } from './start-limits.ts'

interface Wish {
  isRunning: boolean
  permissionMode?: string | undefined
  /** It gets a prompt, which is the user's word. */
  isPrompted?: boolean
}

/** Throws if an agent runs this command, and may not resume the mission in this way. */
export async function refuseResumeByAgent(
  context: Context,
  db: Database,
  mission: MissionRecord,
  { isRunning, permissionMode, isPrompted = false }: Wish,
): Promise<void> {
  const agent = callerOf(context, db)
  if (agent === null) return
  const config = await readConfig(context.paths)
  if (permissionMode !== undefined)
    refuseWiderChange(agent, mission, { ...mission, permission_mode: permissionMode }, config)
  if (isPrompted) refuseUsersVoice(agent, mission, 'user', config)
  if (isRunning) return
  const anyNumber = Number.POSITIVE_INFINITY
  const max_children = isChildOf(mission, agent) ? config.missions.max_children : anyNumber
  const missions = { ...config.missions, max_children, max_depth: anyNumber }
  limitsForAgent(context, db, agent, { ...config, missions })()
}
