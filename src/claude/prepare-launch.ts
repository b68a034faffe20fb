import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/mission-record.ts'
import { writeFileAtomically } from '../io/files.ts'
import { effectiveMode, effectiveModel } from '../mission/permission.ts'
import { conversationExists } from '../wrapper/find-conversation.ts'
import { spoolPaths } from '../wrapper/spool.ts'
import { claudeEnvironment } from './claude-environment.ts'
import { claudeLocations } from './claude-locations.ts'
import { claudeSettings } from './claude-settings.ts'
import { claudeVersion } from './claude-version.ts'
import { claudeCommandLine } from './command-line.ts'
import { findClaude } from './find-claude.ts'
import { knownHookEvents } from './known-hook-events.ts'
import { permissionArguments } from './permission-mode.ts'
import { refuseBypassAsRoot } from './root-bypass.ts'
import { sessionArguments } from './session-arguments.ts'
import { isTrusted, trustDirectory } from './trust.ts'

export interface Launch {
  claude: string
  args: string[]
  env: NodeJS.ProcessEnv
  /** A file to be Claude's stdin, when the prompt is too long for an argument. */
  stdinPath: string | null
  /** Claude will open its trust dialog first. */
  asksForTrust: boolean
  /** Enters the trust again, should another Claude have written over it. */
  confirmTrust: () => Promise<void>
}

/** Everything that must be right before Claude starts; what is wrong is said here, not by Claude. */
export async function prepareLaunch(
  context: Context,
  config: Config,
  mission: MissionRecord,
  isTrustedByUser: boolean,
): Promise<Launch> {
  const { exec, paths } = context
  const own = paths.mission(mission.id)
  const env = claudeEnvironment(context.env, mission.id)
  const claude = findClaude(config.claude.command, env)
  const { mode, source } = effectiveMode(mission, config)
  const chosenMode = source === 'claude' ? null : mode
  refuseBypassAsRoot(chosenMode, config.claude.args, env)
  const session = sessionArguments(mission, conversationExists(mission, env))
  const settingsPath = join(own.run, 'settings.json')
  const version = claudeVersion(exec, claude, env, join(paths.home, 'claude-version.json'))
  const target = { ...spoolPaths(own.run), wrapperPid: process.pid, settings: paths.config }
  const settings = claudeSettings(knownHookEvents(version), target)
  writeFileAtomically(settingsPath, JSON.stringify(settings))
  const { globalConfig } = claudeLocations(env)
  const confirmTrust = async () => {
    if (isTrustedByUser) await trustDirectory(globalConfig, own.agent)
  }
  await confirmTrust()
  const { args, promptIsStdin } = claudeCommandLine({
    session,
    permission: permissionArguments(chosenMode, config),
    settingsPath,
    name: mission.name,
    model: effectiveModel(mission, config),
    extra: config.claude.args,
    prompt: existsSync(own.prompt) ? readFileSync(own.prompt, 'utf8') : null,
  })
  const asksForTrust = !isTrustedByUser && !isTrusted(globalConfig, own.agent)
  return { claude, args, env, stdinPath: promptIsStdin ? own.prompt : null, asksForTrust, confirmTrust }
}
