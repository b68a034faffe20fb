import { readConfig, stopGraceMs } from '../config/read.ts'
import type { Context } from '../context.ts'
import { abandonRequests } from '../db/approvals.ts'
import { getMission, type MissionRecord } from '../db/missions.ts'
import { readStore, withStore } from '../db/with-store.ts'
import { recordKill } from '../mission/end-lease.ts'
import { wakeFollowers } from '../mission/followers.ts'
import { statusNow } from '../mission/mission-status.ts'
import { missionService } from '../mission/open-service.ts'
import { unstoredEnding } from '../mission/wrapper-note.ts'
import type { MissionId } from '../mission-id.ts'
import { systemProbe } from '../system/process-identity.ts'
import { noticeEndedPrograms } from '../tmux/after-crash.ts'
import { ownSocket } from '../tmux/server.ts'
import { tmuxAt } from '../tmux/tmux.ts'
import { runNotifyCommand } from './notify-command.ts'
import { endOrphanedClaude } from './orphaned-claude.ts'

/**
 * Wakes the processes that follow the missions, ends the Claude of a wrapper that was killed, closes its open requests,
 * and makes sure that tmux knows of the end. The wrapper's guard starts this.
 */
export async function reapMission(context: Context, id: MissionId): Promise<void> {
  try {
    wakeFollowers(context.paths)
    await endLeftOver(context, id)
  } finally {
    const socket = ownSocket(context.env)
    const isInSession = context.env.AGENC_TMUX === '1' && socket !== null
    if (isInSession) tmuxAt(context.exec, context.env, socket).ask(noticeEndedPrograms)
  }
}

async function endLeftOver(context: Context, id: MissionId): Promise<void> {
  const mission = await readStore(context, db => db && getMission(db, id))
  if (!mission || statusNow(context, mission) === 'running') return
  const graceMs = await stopGraceMs(context.paths)
  await endOrphanedClaude(context, systemProbe(context.exec), mission, 'SIGHUP', graceMs)
  await withStore(context, db => {
    // Also stores the ending, if the wrapper could not.
    missionService(context, db).write(writer => {
      // If the mission was started again in the meantime, the open requests belong to the new wrapper.
      const now = writer.get(id)
      if (!now || statusNow(context, now) === 'running') return
      abandonRequests(db, id)
      // An ending that is only noted so far is stored by the next process that can.
      if (unstoredEnding(context.paths, now) === null) recordKill(db, writer, id)
    })
  })
  // A window tells it itself.
  if (mission.headless === 1) await notifyOfCrash(context, mission)
}

async function notifyOfCrash(context: Context, mission: MissionRecord): Promise<void> {
  const { notify } = await readConfig(context.paths)
  if (notify.command)
    runNotifyCommand(context, notify.command, mission, { state: 'crashed', waitingFor: null })
}
