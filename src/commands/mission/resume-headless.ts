import { readConfig } from '../../config/read.ts'
import type { Context } from '../../context.ts'
import { openMessages } from '../../db/messages.ts'
import type { MissionRecord } from '../../db/missions.ts'
import { withStore } from '../../db/with-store.ts'
import { AgencError, usageError } from '../../errors.ts'
import { bringBack } from '../../git-work/remove-mission.ts'
import { storeMode } from '../../mission/check-mode.ts'
import { chooseMission } from '../../mission/choose.ts'
import { effectiveMode } from '../../mission/effective-settings.ts'
import { firstPrompt, keepPrompt } from '../../mission/first-prompt.ts'
import { type HeadlessInput, headlessLimits, refusePlanMode } from '../../mission/headless-wish.ts'
import { statusNow } from '../../mission/mission-status.ts'
import { missionService } from '../../mission/open-service.ts'
import { refuseResumeByAgent } from '../../mission/resume-by-agent.ts'
import { tellHowToFollow } from '../../mission/tell-done.ts'
import { shortId } from '../../mission-id.ts'
import { closeExplanations } from '../../tmux/after-crash.ts'
import { tmuxOf } from '../../tmux/server.ts'
import { hasWaitingPrompt, refuseSecondPrompt, whyNotResumable } from '../../wrapper/find-conversation.ts'
import { startHeadless } from '../../wrapper/start-headless.ts'
import { stillRunning, stopMissions } from '../../wrapper/stop-missions.ts'
import { awaitAnswer } from './await-answer.ts'

interface Input extends HeadlessInput {
  missions: string[]
  all?: boolean
  restart?: boolean
  focus?: boolean
  detach?: boolean
  prompt?: string
  json?: boolean
}

/** Continues a mission without a terminal. */
export async function resumeHeadless(context: Context, input: Input): Promise<number> {
  const { missions: words, permissionMode, prompt, wait, json } = input
  const limits = headlessLimits(input)
  if (limits === null) throw usageError('--force has a meaning only with --headless')
  refuseContradictions(input)
  const config = await readConfig(context.paths)
  const id = await withStore(context, async db => {
    const chosen = await chooseMission(
      context,
      db,
      words[0],
      { title: 'Resume a mission' },
      { removed: true },
    )
    if (statusNow(context, chosen) === 'running') throw runsAlready(chosen)
    await refuseResumeByAgent(context, db, chosen, {
      isRunning: false,
      permissionMode,
      isPrompted: prompt !== undefined,
    })
    const wanted = {
      ...chosen,
      ...(permissionMode === undefined ? {} : { permission_mode: permissionMode }),
    }
    refusePlanMode(effectiveMode(wanted, config).mode, input.force ?? false)
    const text = firstPrompt(prompt)
    if (text !== null) refuseSecondPrompt(chosen, context)
    else if (wait && !hasWaitingPrompt(chosen, context)) throw nothingToWaitFor()
    const mission = bringBack(context, db, chosen)
    const obstacle = await whyNotResumable(context, mission)
    if (obstacle !== null) throw new AgencError(`${shortId(mission.id)} cannot be resumed: ${obstacle}`)
    await startHeadless(context, db, mission, () => {
      if (text !== null) keepPrompt(context.paths.mission(mission.id), text)
      if (permissionMode !== undefined) storeMode(context, db, mission.id, permissionMode)
      const headless_limits = JSON.stringify(limits)
      missionService(context, db).change(mission.id, { headless: 1, headless_limits, result: null })
    })
    closeExplanations(tmuxOf(context), [mission.id])
    return mission.id
  })
  if (wait) return awaitAnswer(context, id, json ?? false)
  if (json) context.out.line(JSON.stringify({ id }))
  tellHowToFollow(context, id)
  return 0
}

function refuseContradictions({ missions, all, restart, focus, detach }: Input): void {
  if (all || missions.length > 1)
    throw usageError('--headless is for one mission at a time', 'Name one mission.')
  if (restart || focus !== undefined || detach)
    throw usageError(
      '--headless excludes --restart, --focus and --detach',
      'A mission without a terminal has no window.',
    )
}

function nothingToWaitFor(): AgencError {
  return usageError('--wait needs a prompt whose answer it can wait for', 'Add --prompt, or omit --wait.')
}

function runsAlready({ id, headless }: MissionRecord): AgencError {
  const short = shortId(id)
  return headless === 1
    ? new AgencError(
        `${short} already runs without a terminal`,
        `Talk to it with: agenc mission send ${short}`,
      )
    : new AgencError(`${short} is running on a terminal`, `Stop it first with: agenc mission stop ${short}`)
}

/** Ends a mission without a terminal, so that it can go on in a window. Throws if that would cut its work. */
export async function endHeadlessAtRest(context: Context, mission: MissionRecord): Promise<void> {
  await withStore(context, async db => {
    const { id, state, background } = mission
    if (state !== 'idle' || background === 1 || openMessages(db, id).length > 0) throw isAtWork(mission)
    const left = await stopMissions(context, db, [mission])
    if (left.length > 0) throw stillRunning(left)
  })
}

function isAtWork({ id }: MissionRecord): AgencError {
  const short = shortId(id)
  return new AgencError(
    `${short} is at work without a terminal`,
    `Follow it with 'agenc mission print --follow ${short}'. To open it in a window now, stop it first with 'agenc mission stop ${short}'.`,
  )
}
