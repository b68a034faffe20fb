import type { Context } from '../context.ts'
import type { LoopRecord } from '../db/loops.ts'
import { getMission, type MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError, isAgencError } from '../errors.ts'
import { requireDirectory } from '../git-work/rebuild-directory.ts'
import { usualAskTimeoutMs } from '../mission/headless-limits.ts'
import { statusNow } from '../mission/mission-status.ts'
import { missionService } from '../mission/open-service.ts'
import { shortId } from '../mission-id.ts'
import { interruptMission } from '../wrapper/interrupt-mission.ts'
import { destinationFor, launchMission } from '../wrapper/launch.ts'
import { startHeadless } from '../wrapper/start-headless.ts'
import { stillRunning, stopMissions } from '../wrapper/stop-missions.ts'

export function missionOf(db: Database, { mission_id }: Pick<LoopRecord, 'mission_id'>): MissionRecord {
  const mission = getMission(db, mission_id)
  if (mission === undefined)
    throw new AgencError(`the mission ${shortId(mission_id)} of this loop no longer exists`)
  return mission
}

export function isRunning(context: Context, mission: MissionRecord): boolean {
  return statusNow(context, mission) === 'running'
}

/** Starts the mission of a loop, in a window or without a terminal. Returns false if it ran already. */
export async function ensureRunning(context: Context, db: Database, loop: LoopRecord): Promise<boolean> {
  const mission = missionOf(db, loop)
  if (isRunning(context, mission)) return false
  if (mission.copy_pending === null) requireDirectory(context, mission)
  if (loop.wish.has_window) {
    const wish = { focus: false, detach: true }
    await launchMission(context, await destinationFor(context, wish), mission, { ...wish, db })
    return true
  }
  const limits = { timeout_ms: null, ask_timeout_ms: usualAskTimeoutMs }
  const headless_limits = mission.headless_limits ?? JSON.stringify(limits)
  missionService(context, db).change(mission.id, { headless: 1, headless_limits })
  await startHeadless(context, db, missionOf(db, loop))
  return true
}

/** Ends the Claude of the mission, so that the next one has another conversation. */
export async function beginConversation(
  context: Context,
  db: Database,
  loop: LoopRecord,
  session_id: string,
): Promise<void> {
  const mission = missionOf(db, loop)
  if (mission.session_id === session_id) return
  await stopMission(context, db, mission)
  missionService(context, db).change(
    mission.id,
    { session_id, session_begun: 0, forked_session_id: null, transcript_path: null },
    ['session', { session_id }],
  )
}

export async function stopMission(context: Context, db: Database, mission: MissionRecord): Promise<void> {
  if (!isRunning(context, mission)) return
  const left = await stopMissions(context, db, [mission])
  if (left.length > 0) throw stillRunning(left)
}

/** Takes back a prompt that Claude has not got, and ends the turn. Without a terminal, the mission ends too. */
export async function endTurn(context: Context, db: Database, loop: LoopRecord): Promise<void> {
  const mission = getMission(db, loop.mission_id)
  if (mission === undefined) return
  takeBackPrompt(context, db, loop)
  if (mission.headless === 1) await stopMission(context, db, mission)
  else if (isInTurn(loop) && isRunning(context, mission)) await interrupt(context, mission)
}

function isInTurn({ rounds }: LoopRecord): boolean {
  const round = rounds.at(-1)
  return round !== undefined && round.message_id !== null && round.turn === null
}

/** A prompt that waits in the store would otherwise start a turn when the mission runs again. */
export function takeBackPrompt(context: Context, db: Database, { rounds, mission_id }: LoopRecord): void {
  const message = rounds.at(-1)?.message_id ?? null
  if (message === null) return
  const change = { status: 'cancelled', reason: 'the loop has ended' } as const
  missionService(context, db).write(writer => writer.changeMessage(mission_id, message, ['kept'], change))
}

/** Ends the turn of a mission in a window. A dialog, which only the user can answer, stays open. */
async function interrupt(context: Context, { id }: MissionRecord): Promise<void> {
  try {
    await interruptMission(context, id)
  } catch (error) {
    // The loop ends anyway. A turn that cannot be interrupted is the user's to end.
    if (!isAgencError(error)) throw error
  }
}
