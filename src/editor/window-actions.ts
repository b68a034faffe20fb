import { scanProcesses } from '../system/process-table.ts'
import type { Runner } from '../system/runner.ts'
import type { SeenWindow } from './detect.ts'
import type { WindowSystem } from './windows/system.ts'

/**
 * `asked`: the window was asked, and may itself ask the user first. `gone`: it is no longer that
 * process's window, so nothing was done. `unable`: see the window system's `problem()`.
 */
export type Outcome = 'asked' | 'gone' | 'unable'

export interface Desktop {
  platform: NodeJS.Platform
  exec: Runner
  windows: WindowSystem
}

export function focusWindow(desktop: Desktop, seen: SeenWindow): Outcome {
  return act(desktop, seen, 'focus')
}

export function closeWindow(desktop: Desktop, seen: SeenWindow): Outcome {
  return act(desktop, seen, 'close')
}

function act(desktop: Desktop, seen: SeenWindow, action: 'focus' | 'close'): Outcome {
  const { windows } = desktop
  const now = windows.list()
  if (now === null) return 'unable'
  const window = now.find(({ id, pid }) => id === seen.id && pid === seen.pid)
  if (!window || !isSameProcess(desktop, seen)) return 'gone'
  return windows[action](window) ? 'asked' : 'unable'
}

/** Window ids and pids are both used again. */
function isSameProcess({ platform, exec }: Desktop, { pid, startTime }: SeenWindow): boolean {
  return scanProcesses(platform, exec).get(pid)?.startTime === startTime
}
