import type { Context } from '../context.ts'
import { checkClaude, checkHook, checkLogin } from './check-claude.ts'
import { checkDisk, checkKeptWork } from './check-disk.ts'
import { checkHold } from './check-hold.ts'
import { checkHome, checkSettings, checkStore } from './check-home.ts'
import { checkMissions } from './check-missions.ts'
import { checkFzf, checkGit, checkNode, checkOpenFiles, checkWindows } from './check-programs.ts'
import { checkKey, checkTmux, checkTmuxOptions } from './check-tmux.ts'
import type { Finding } from './findings.ts'

/** Runs all checks, in the order in which a user would fix problems. Changes nothing. */
export async function examine(context: Context): Promise<Finding[]> {
  const { config, finding: settings } = await checkSettings(context)
  const tmux = checkTmux(context)
  const ofTmux = tmux.status === 'problem' ? [] : [...checkTmuxOptions(context), checkKey(context, config)]
  return [
    checkNode(),
    ...checkOpenFiles(),
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
    checkHold(context),
    checkWindows(context),
    ...(await checkMissions(context)),
    ...(await checkKeptWork(context)),
    checkDisk(context),
  ]
}

/** Fixes everything that is safe to fix, and returns a line about each fix. */
export async function fixAll(findings: readonly Finding[]): Promise<string[]> {
  const done: string[] = []
  for (const { fix, remedy } of findings) {
    if (!fix) continue
    try {
      done.push(await fix())
    } catch (error) {
      done.push(`agenc: not fixed: ${(error as Error).message}; by hand: ${remedy}`)
    }
  }
  return done
}
