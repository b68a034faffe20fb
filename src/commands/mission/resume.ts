import { defineCommand, jsonOption } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import type { MissionRecord } from '../../db/missions.ts'
import { readStore, withStore } from '../../db/with-store.ts'
import { AgencError, usageError } from '../../errors.ts'
import { checkMode, storeMode, takesEffectLater } from '../../mission/check-mode.ts'
import { chooseMission } from '../../mission/choose.ts'
import { firstPrompt, keepPrompt } from '../../mission/first-prompt.ts'
import { statusNow } from '../../mission/mission-status.ts'
import type { PickerOptions } from '../../mission/pick-mission.ts'
import { refuseResumeByAgent } from '../../mission/resume-by-agent.ts'
import { shortId } from '../../mission-id.ts'
import { describeLocation } from '../../system/process-table.ts'
import { tmuxOf } from '../../tmux/server.ts'
import { goToWindow, missionWindows, windowsUnknown } from '../../tmux/windows.ts'
import { requestRestart } from '../../wrapper/control-message.ts'
import { destinationFor, isAgent, launchMission } from '../../wrapper/launch.ts'
import { headlessOptions } from './headless-options.ts'
import { windowOptions } from './window-options.ts'

interface Input {
  missions: string[]
  all?: boolean
  permissionMode?: string
  restart?: boolean
  focus?: boolean
  detach?: boolean
  headless?: boolean
  prompt?: string
  timeout?: string
  askTimeout?: string
  wait?: boolean
  force?: boolean
  json?: boolean
}

const picker: PickerOptions = {
  title: 'Resume a mission',
  order: [['stopped', 'crashed'], ['running']],
}

export default defineCommand<Input>({
  description:
    'Continue a mission with its conversation. If it is running, go to its window. Several missions get windows in the session. A deleted mission comes back if you name it. A mission that ran without a terminal gets a window, unless you add --headless.',
  arguments: [
    {
      name: 'missions',
      description: "their names or ids (the start is enough), or '.' (default: pick from a list)",
      variadic: true,
    },
  ],
  options: [
    { flags: '--all', description: 'resume every mission with a window that is stopped or crashed' },
    { flags: '--prompt <text>', description: "what to say to Claude first; '-' reads it from stdin" },
    { flags: '--permission-mode <mode>', description: 'use this permission mode from now on' },
    { flags: '--restart', description: 'if it is running, restart its Claude as soon as it is idle' },
    ...windowOptions,
    ...headlessOptions,
    { flags: '--force', description: 'with --headless: also in plan mode' },
    jsonOption,
  ],
  examples: [
    'agenc mission resume 3f2a',
    'agenc mission resume . --restart',
    'agenc mission resume --all',
    'agenc mission resume 3f2a --headless --prompt "go on" --wait',
  ],
  async run(context, input) {
    const { missions: words, all, permissionMode, restart, focus, detach, prompt, json } = input
    if (all && words.length > 0)
      throw usageError('--all and names exclude each other', 'Give one or the other.')
    if (prompt !== undefined && (all || words.length > 1 || restart))
      throw usageError(
        '--prompt is for one mission that is not running',
        "Use 'agenc mission send' for others.",
      )
    if (permissionMode !== undefined) await checkMode(context, permissionMode)
    if ([input.headless, input.timeout, input.askTimeout, input.wait, input.force].some(given => given)) {
      const { resumeHeadless } = await import('./resume-headless.ts')
      return resumeHeadless(context, input)
    }
    if (all || words.length > 1) {
      const { resumeSeveral } = await import('./resume-several.ts')
      return resumeSeveral(context, { words, all, permissionMode, restart, json })
    }
    const [word] = words
    const chosen = await readStore(context, db => chooseMission(context, db, word, picker, { removed: true }))
    const isRunning = statusNow(context, chosen) === 'running'
    const wish = { isRunning, permissionMode, isPrompted: prompt !== undefined }
    await readStore(context, db => refuseResumeByAgent(context, db!, chosen, wish))
    const isMoved = isRunning && chosen.headless === 1 && !restart
    if (isRunning && !isMoved && prompt !== undefined) throw alreadyRunning(chosen)
    if (prompt !== undefined) await refuseLostPrompt(context, chosen)
    const destination =
      isRunning && !isMoved
        ? null
        : await destinationFor(context, { focus, detach }, { stdinIsPrompt: prompt === '-' })
    if (isMoved) await endAtRest(context, chosen)
    const mission = chosen.removed_at === null ? chosen : await takeBack(context, chosen)
    if (permissionMode !== undefined)
      await withStore(context, db => storeMode(context, db, mission.id, permissionMode))
    const text = firstPrompt(prompt)
    if (text !== null) keepPrompt(context.paths.mission(mission.id), text)
    if (json) context.out.line(JSON.stringify({ id: mission.id }))
    if (destination) return launchMission(context, destination, mission, { focus, detach })
    if (permissionMode !== undefined && !restart) context.err.line(takesEffectLater(mission))
    return resumeRunning(context, mission, { restart, focus: focus ?? (!detach && !isAgent(context)) })
  },
})

async function refuseLostPrompt(context: Context, mission: MissionRecord): Promise<void> {
  const { refuseSecondPrompt } = await import('../../wrapper/find-conversation.ts')
  refuseSecondPrompt(mission, context)
}

async function takeBack(context: Context, mission: MissionRecord): Promise<MissionRecord> {
  const { bringBack } = await import('../../git-work/remove-mission.ts')
  return withStore(context, db => bringBack(context, db, mission))
}

function alreadyRunning({ id }: MissionRecord): AgencError {
  return new AgencError(`${shortId(id)} is running`, `Talk to it with: agenc mission send ${shortId(id)}`)
}

async function endAtRest(context: Context, mission: MissionRecord): Promise<void> {
  const { endHeadlessAtRest } = await import('./resume-headless.ts')
  await endHeadlessAtRest(context, mission)
}

function resumeRunning(
  context: Context,
  mission: MissionRecord,
  { restart, focus }: Pick<Input, 'restart' | 'focus'>,
): number {
  if (restart) {
    requestRestart(context.paths.mission(mission.id))
    context.err.line(`${shortId(mission.id)} restarts as soon as it is idle.`)
    return 0
  }
  const tmux = tmuxOf(context)
  const windows = missionWindows(tmux)
  if (windows === null) throw windowsUnknown()
  const window = windows.get(mission.id)
  if (window) {
    if (focus) goToWindow(context, tmux, window)
    return 0
  }
  throw new AgencError(
    `${shortId(mission.id)} is running ${describeLocation(context.exec, mission.wrapper_pid!)}`,
    `Go there, or stop it first with: agenc mission stop ${shortId(mission.id)}`,
  )
}
