import type { Runner } from '../../system/runner.ts'
import type { WindowSystem } from './system.ts'
import type { AskX, Listing } from './window-list.ts'
import { listWithWmctrl } from './wmctrl.ts'
import { listWithXdotool } from './xdotool.ts'
import { listWithXprop } from './xprop.ts'

/** A frozen X server must not freeze `agenc status`. */
const timeoutMs = 2_000

const onlyXwayland = 'under Wayland only the windows of X programs (XWayland) can be found'

export function x11Windows(exec: Runner, env: NodeJS.ProcessEnv, host: string): WindowSystem {
  const ask: AskX = (program, ...args) => exec.capture(program, args, { env, timeoutMs })
  const listers: Lister[] = [listWithWmctrl, listWithXprop, listWithXdotool]
  const listing = () => firstInstalled(listers, list => list(ask, host, env.DISPLAY ?? ''))
  return {
    list: () => {
      const windows = listing()
      return typeof windows === 'string' ? null : windows
    },
    focus: ({ id }) => firstToRun(ask, ['wmctrl', '-ia', id], ['xdotool', 'windowactivate', id]),
    // `xdotool windowclose` destroys the window under its program; `windowquit` asks, from 2021 on.
    close: ({ id }) => firstToRun(ask, ['wmctrl', '-ic', id], ['xdotool', 'windowquit', id]),
    idVariable: 'WINDOWID',
    problem: () => problemOf(listing(), ask) ?? (env.WAYLAND_DISPLAY ? onlyXwayland : null),
  }
}

type Lister = (ask: AskX, host: string, display: string) => Listing

function firstInstalled(listers: readonly Lister[], run: (list: Lister) => Listing): Listing {
  for (const list of listers) {
    const windows = run(list)
    if (windows !== 'missing') return windows
  }
  return 'missing'
}

function firstToRun(ask: AskX, ...commands: [string, ...string[]][]): boolean {
  for (const command of commands) {
    const answer = ask(...command)
    if (!answer.missing) return answer.exitCode === 0
  }
  return false
}

function problemOf(windows: Listing, ask: AskX): string | null {
  if (windows === 'missing') return 'windows cannot be found: install wmctrl'
  if (windows === 'silent') {
    return 'the X display does not answer, or has no window manager that lists its windows (EWMH)'
  }
  return ask('wmctrl', '-h').missing ? 'windows may not be raised or closed: install wmctrl' : null
}
