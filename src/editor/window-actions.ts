import type { Context } from '../context.ts'
import { AgencError } from '../errors.ts'
import { scanProcesses } from '../system/process-table.ts'
import { type Desktop, locateMissions } from './desktop.ts'
import type { FoundWindow, MissionPresence, MissionProcess } from './mission-presence.ts'

/**
 * `asked`: the window was asked, and may itself ask the user first. `gone`: the window no longer belongs to that
 * process, so nothing was done. `unable`: see the window system's `problem()`.
 */
export type Outcome = 'asked' | 'gone' | 'unable'

type Action = 'focus' | 'close'

export function actOnWindow(desktop: Desktop, found: FoundWindow, action: Action): Outcome {
  const { windows } = desktop
  const now = windows.list()
  if (now === null) return 'unable'
  const window = now.find(({ id, pid }) => id === found.id && pid === found.pid)
  if (!window || !isSameProcess(desktop, found)) return 'gone'
  return windows[action](window) ? 'asked' : 'unable'
}

/** The start time is compared too, because window ids and pids are both used again. */
function isSameProcess({ platform, exec }: Desktop, { pid, startTime }: FoundWindow): boolean {
  return scanProcesses(platform, exec).get(pid)?.startTime === startTime
}

export interface AskedWindow {
  id: string
  program: string
}

/** Asks the window that shows a mission. `window` is null if no window is known to show it. */
export function askMissionWindow(
  desktop: Desktop,
  mission: MissionProcess,
  action: Action,
): { window: AskedWindow | null; presence: MissionPresence } {
  const presence = locateMissions(desktop, [mission])[0]!
  const { window, editorType } = presence
  const outcome = window === null ? 'gone' : actOnWindow(desktop, window, action)
  if (window === null || outcome === 'gone') return { window: null, presence }
  if (outcome === 'asked') return { window: { id: window.id, program: editorType! }, presence }
  throw new AgencError(
    `cannot ${action} window ${window.id}, which shows ${mission.short_id}`,
    desktop.windows.problem() ?? "Run 'agenc doctor'.",
  )
}

/** Says why no window was found, if there may be one. */
export function warnIfUncertain(
  { err }: Pick<Context, 'err'>,
  desktop: Desktop,
  mission: MissionProcess,
  { isUncertain }: MissionPresence,
): void {
  if (!isUncertain) return
  const reason = desktop.windows.problem() ?? "see 'agenc doctor'"
  err.line(`agenc: cannot tell whether a window shows ${mission.short_id}: ${reason}`)
}
