import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import type { MissionRecord } from '../../db/missions.ts'
import { getMission, listMissions } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { withStore } from '../../db/with-store.ts'
import { statusesOf, statusNow } from '../../mission/mission-status.ts'
import { displayName } from '../../mission/naming.ts'
import { missionService } from '../../mission/open-service.ts'
import { withEnding } from '../../mission/wrapper-note.ts'
import { shortId } from '../../mission-id.ts'
import { contextOfSession, findSession, refreshEnvironment } from '../../tmux/session.ts'
import { showRestorable } from '../../tmux/status-style.ts'
import type { Tmux } from '../../tmux/tmux.ts'
import { cannotBeAsked } from '../../tmux/tmux-answer.ts'
import { requireTmux } from '../../tmux/tmux-version.ts'
import { whyNotResumable } from '../../wrapper/find-conversation.ts'
import { startReserved } from '../../wrapper/launch.ts'
import { AlreadyRunning } from '../../wrapper/lease.ts'
import { openInSession } from '../../wrapper/open-in-session.ts'

const patienceMs = 30_000
const pauseMs = 20

interface Restored {
  id: string
  restored: boolean
  reason: string | null
}

export default defineCommand<{ json?: boolean }>({
  description:
    'Reopen a window, with the conversation, for every mission that was running when tmux ended or the machine went down.',
  options: [quietOption, jsonOption],
  examples: ['agenc tmux restore'],
  async run(context, { json }) {
    requireTmux(context.exec, context.env)
    const { tmux, state } = findSession(context)
    if (state.kind === 'unknown') throw cannotBeAsked(state)
    const session = contextOfSession(context, state)
    if (state.kind === 'there') refreshEnvironment(context, tmux)
    const results = await withStore(session, db => restoreAll(session, db, tmux))
    if (json) context.out.line(JSON.stringify(results))
    else if (results.length === 0) context.err.line('There is nothing to restore.')
    return results.some(({ restored }) => !restored) ? 1 : 0
  },
})

async function restoreAll(context: Context, db: Database, tmux: Tmux): Promise<Restored[]> {
  // Stores the endings that could not be stored earlier.
  missionService(context, db)
  const missions = listMissions(db).reverse()
  const statuses = statusesOf(context, missions)
  const lost = missions.filter((_, index) => statuses[index] === 'crashed')
  const results: Restored[] = []
  for (const [index, mission] of lost.entries()) {
    const reason = await restoreOne(context, db, tmux, mission)
    const title = `${shortId(mission.id)} ${displayName(mission)}`
    context.err.line(
      `[${index + 1}/${lost.length}] ${title} ${reason === null ? 'restored' : `not restored: ${reason}`}`,
    )
    results.push({ id: mission.id, restored: reason === null, reason })
  }
  if (lost.length > 0) tmux.ask(showRestorable(results.filter(({ restored }) => !restored).length))
  return results
}

/**
 * Resolves to null when the mission runs again, otherwise to the reason why not. Missions are restored one by one,
 * because thirty Claudes that start at once would stall the machine.
 */
async function restoreOne(
  context: Context,
  db: Database,
  tmux: Tmux,
  mission: MissionRecord,
): Promise<string | null> {
  const obstacle = await whyNotResumable(context, mission)
  if (obstacle !== null) return obstacle
  try {
    await startReserved(context, db, mission, command => openInSession(context, tmux, mission, command))
  } catch (error) {
    if (!(error instanceof AlreadyRunning)) throw error
    return error.message
  }
  const deadline = Date.now() + patienceMs
  while (Date.now() < deadline) {
    const now = withEnding(context.paths, getMission(db, mission.id)!)
    const status = statusNow(context, now)
    if (status === 'running' && now.state !== 'starting') return null
    if (status === 'stopped' || (status === 'crashed' && now.exit_at !== mission.exit_at)) {
      return `Claude ended right after its start (${now.exit_signal ?? `exit code ${now.exit_code}`}); its window shows why`
    }
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
  return 'it did not start in time; its window shows how far it got'
}
