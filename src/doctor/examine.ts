import type { Context } from '../context.ts'
import { checkClaude, checkHook, checkLogin } from './check-claude.ts'
import { checkHome, checkSettings, checkStore } from './check-home.ts'
import { checkMissions } from './check-missions.ts'
import { checkFzf, checkGit, checkNode, checkTmux, checkWindows } from './check-programs.ts'
import { checkKey, checkTmuxOptions } from './check-tmux.ts'
import type { Finding } from './findings.ts'

/** Everything, in the order in which somebody would mend it. Nothing is changed. */
export async function examine(context: Context): Promise<Finding[]> {
  const { config, finding: settings } = await checkSettings(context)
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
