import { hostname } from 'node:os'
import type { Runner } from '../../system/runner.ts'
import { macosWindows } from './macos.ts'
import { noWindows } from './no-windows.ts'
import type { WindowSystem } from './system.ts'
import { x11Windows } from './x11.ts'

export function windowSystemFor(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
  exec: Runner,
): WindowSystem {
  if (platform === 'darwin') return macosWindows(exec)
  if (env.DISPLAY) return x11Windows(exec, env, hostname())
  if (env.WAYLAND_DISPLAY) {
    return noWindows('Wayland gives no list of windows; start the terminal under XWayland to have them found')
  }
  return noWindows('no display: DISPLAY is not set, so windows cannot be found or raised from here')
}
