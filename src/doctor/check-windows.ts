import type { Context } from '../context.ts'
import { windowSystemFor } from '../editor/window-system.ts'
import { type Finding, ok, warning } from './finding.ts'

export function checkWindows({ env, exec }: Context): Finding {
  const found = windowSystemFor(process.platform, env, exec).problem()
  if (found === null) return ok('windows', 'windows of editors and terminals can be found')
  const remedy = /install wmctrl/.test(found)
    ? 'Install it: apt-get install wmctrl'
    : "Missions work without; 'mission focus' then opens the editor anew."
  return warning('windows', found, remedy)
}
