import { hostname } from 'node:os'
import type { Runner } from '../system/runner.ts'
import { macosWindows } from './macos-windows.ts'
import { x11Windows } from './x11-windows.ts'

export interface Window {
  /** The window system's own number, in decimal as in `WINDOWID`. */
  readonly id: string
  readonly pid: number
  readonly title: string
}

/** The operations that agenc needs from a desktop. */
export interface WindowSystem {
  /** Lists the windows of all processes of this machine. Returns null if the windows are unknown. */
  list(): Window[] | null
  /** Returns true if the request was sent. The window's program decides whether to obey. */
  focus(window: Window): boolean
  close(window: Window): boolean
  /** The variable in which a terminal tells its child the id of its window. */
  readonly idVariable: 'WINDOWID' | null
  /** Describes the missing part and how to fix it. Returns null if everything works. */
  problem(): string | null
}

export function windowSystemFor(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
  exec: Runner,
): WindowSystem {
  if (platform === 'darwin') return macosWindows(exec)
  if (env.DISPLAY) return x11Windows(exec, env, hostname())
  if (env.WAYLAND_DISPLAY) {
    return noWindows('Wayland does not list windows; run the terminal under XWayland to have it found')
  }
  return noWindows('no display: DISPLAY is not set, so windows cannot be found or raised from here')
}

function noWindows(reason: string): WindowSystem {
  return {
    list: () => null,
    focus: () => false,
    close: () => false,
    idVariable: null,
    problem: () => reason,
  }
}
