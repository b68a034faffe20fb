import type { Context } from '../context.ts'
import { checkClaude, checkLogin } from './claude.ts'
import type { Finding } from './finding.ts'
import { checkHome } from './home.ts'
import { checkHook } from './hook.ts'
import { checkMissions } from './missions.ts'
import { checkFzf, checkGit, checkNode, checkTmux } from './programs.ts'
import { checkSettings } from './settings.ts'
import { checkStore } from './store.ts'
import { checkKey, checkTmuxOptions } from './tmux-options.ts'
import { checkWindows } from './windows.ts'

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
