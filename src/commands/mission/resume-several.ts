import { type Context, isInteractive } from '../../context.ts'
import { listMissions, type MissionRecord } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { withStore } from '../../db/with-store.ts'
import { Cancelled, isAgencError } from '../../errors.ts'
import { bringBack } from '../../git-work/remove-mission.ts'
import { confirm } from '../../io/prompt.ts'
import { storeMode, takesEffectLater } from '../../mission/check-mode.ts'
import { chooseMissions } from '../../mission/choose.ts'
import { statusesOf, statusNow } from '../../mission/mission-status.ts'
import { refuseResumeByAgent } from '../../mission/resume-by-agent.ts'
import { missionTitle } from '../../mission/tell-done.ts'
import { shortId } from '../../mission-id.ts'
import { currentWindow } from '../../tmux/current-window.ts'
import { contextOfSession, findSession, refreshEnvironment } from '../../tmux/session.ts'
import { cannotBeAsked } from '../../tmux/tmux-answer.ts'
import { requireTmux } from '../../tmux/tmux-version.ts'
import { requestRestart } from '../../wrapper/control-message.ts'
import { restoreOne } from '../../wrapper/restore-missions.ts'

interface Wish {
  words: readonly string[]
  all?: boolean
  permissionMode?: string
  restart?: boolean
  json?: boolean
}

interface Resumed {
  id: string
  resumed: boolean
  reason: string | null
}

/** With more missions than this, `--all` asks first: each is a Claude of its own. */
const mostUnasked = 10

/** Opens a window for each mission, one after the other, in the session, which is created if there is none. */
export async function resumeSeveral(context: Context, wish: Wish): Promise<number> {
  requireTmux(context.exec, context.env)
  const { tmux, state } = findSession(context)
  if (state.kind === 'unknown') throw cannotBeAsked(state)
  const session = contextOfSession(context, state)
  if (state.kind === 'there') refreshEnvironment(context, tmux)
  const results = await withStore(session, async db => {
    const missions = await chosenMissions(session, db, wish)
    const done: Resumed[] = []
    for (const [index, mission] of missions.entries()) {
      const isRunning = statusNow(session, mission) === 'running'
      const refusal = await refusalForAgent(context, db, mission, { ...wish, isRunning })
      if (wish.permissionMode !== undefined && refusal === null)
        storeMode(session, db, mission.id, wish.permissionMode)
      const resume = () =>
        isRunning ? treatRunning(session, mission, wish) : restoreOne(session, db, tmux, mission)
      const reason = refusal ?? (await resume())
      const isLeft = isRunning && refusal === null
      const outcome = isLeft ? 'is running' : reason === null ? 'resumed' : `not resumed: ${reason}`
      session.err.line(`[${index + 1}/${missions.length}] ${missionTitle(mission)} ${outcome}`)
      done.push({ id: mission.id, resumed: reason === null, reason })
    }
    return done
  })
  if (wish.json) context.out.line(JSON.stringify(results))
  else if (results.length === 0) context.err.line('There is nothing to resume.')
  else if (currentWindow(context) === null) context.err.line('Go there with: agenc tmux attach')
  return results.every(({ resumed }) => resumed) ? 0 : 1
}

/** Resolves to why an agent may not resume the mission, or null if it may. */
async function refusalForAgent(
  context: Context,
  db: Database,
  mission: MissionRecord,
  wish: { isRunning: boolean; permissionMode?: string },
): Promise<string | null> {
  try {
    await refuseResumeByAgent(context, db, mission, wish)
    return null
  } catch (error) {
    if (isAgencError(error)) return error.message
    throw error
  }
}

async function chosenMissions(
  context: Context,
  db: Database,
  { words, all }: Wish,
): Promise<MissionRecord[]> {
  if (!all) {
    const chosen = await chooseMissions(context, db, words, undefined, { removed: true })
    return chosen.map(mission => bringBack(context, db, mission))
  }
  const missions = listMissions(db).reverse()
  const statuses = statusesOf(context, missions)
  const ended = missions.filter(
    ({ headless }, index) => headless === 0 && ['stopped', 'crashed'].includes(statuses[index]!),
  )
  if (ended.length > mostUnasked && isInteractive(context)) {
    if (!(await confirm(context, `Resume ${ended.length} missions?`, false))) throw new Cancelled()
  }
  return ended
}

function treatRunning(context: Context, mission: MissionRecord, { restart, permissionMode }: Wish): null {
  if (restart) {
    requestRestart(context.paths.mission(mission.id))
    context.err.line(`${shortId(mission.id)} restarts as soon as it is idle.`)
  } else if (permissionMode !== undefined) context.err.line(takesEffectLater(mission))
  return null
}
