import type { Context } from '../context.ts'
import { checkClaude, checkLogin } from './check-claude.ts'
import { checkHome } from './check-home.ts'
import { checkHook } from './check-hook.ts'
import { checkMissions } from './check-missions.ts'
import { checkFzf, checkGit, checkNode, checkTmux } from './check-programs.ts'
import { checkSettings } from './check-settings.ts'
import { checkStore } from './check-store.ts'
import { checkKey, checkTmuxOptions } from './check-tmux-options.ts'
import { checkWindows } from './check-windows.ts'
import type { Finding } from './finding.ts'

/** Everything, in the order in which somebody would mend it. Nothing is changed. */
export async function examine(context: Context): Promise<Finding[]> {
  const { config, finding: settings } = checkSettings(context)
  const tmux = checkTmux(context)
  const ofTmux = tmux.status === 'problem' ? [] : [...checkTmuxOptions(context), checkKey(context, config)]
  return [
    checkNode(),
    checkGit(context),
    tmux,
    ...ofTmux,
    checkFzf(context),
    checkClaude(context, config),
    checkLogin(context),
    settings,
    ...checkHome(context),
    await checkStore(context),
    checkHook(context),
    checkWindows(context),
    ...(await checkMissions(context)),
  ]
}

/** Mends what can be mended safely; what was done, in words. */
export function fixAll(findings: readonly Finding[]): string[] {
  return findings.flatMap(({ fix, remedy }) => {
    if (!fix) return []
    try {
      return [fix()]
    } catch (error) {
      return [`agenc: not mended: ${(error as Error).message}; by hand: ${remedy}`]
    }
  })
}
