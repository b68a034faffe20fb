import { join } from 'node:path'
import type { Context } from '../context.ts'
import { writeFileAtomically } from '../io/files.ts'
import type { MissionId } from '../mission-id.ts'
import type { Agent, Launch, StartRequest } from './agent.ts'
import { claudeEnvironment } from './claude-environment.ts'
import { claudeLocations } from './claude-locations.ts'
import { claudeSettings } from './claude-settings.ts'
import { claudeVersion } from './claude-version.ts'
import { claudeCommandLine } from './command-line.ts'
import { findClaude } from './find-claude.ts'
import { hookReport } from './hook-report.ts'
import { knownHookEvents } from './known-hook-events.ts'
import { leftTools } from './left-tools.ts'
import { refuseBypassAsRoot } from './permission-mode.ts'
import { planDirectories } from './plans-and-questions.ts'
import { primeReply, primeText } from './prime.ts'
import { openReplyChannel } from './reply-channel.ts'
import { StatusWatch } from './status-watch.ts'
import { isTrusted, trustDirectory } from './trust.ts'
import { knowsSubmitKeys } from './typed-prompt.ts'

/** Claude Code on a terminal, which reports through hooks and its status file. */
export function interactiveClaude(context: Context, id: MissionId, directory: string): Agent {
  const { env, paths } = context
  const own = paths.mission(id)
  const locations = claudeLocations(env)
  const plans = planDirectories(locations, directory)
  return {
    prepare: request => prepareClaude(context, request),
    readReport: data => hookReport(data, plans),
    openChannel: ({ kind }, sender) => openReplyChannel(own.asks, sender, kind),
    leftTools: agentPid => leftTools(context.exec, id, agentPid),
    follow: ({ pid = 0 }, listener) =>
      new StatusWatch(
        locations.statusFile(pid),
        status => listener.onStatus(status),
        () => listener.isActive(),
      ),
  }
}

/** Finds the program, writes agenc's hooks, and builds the command line. */
export async function prepareClaude(
  context: Context,
  request: StartRequest,
  ownArguments: readonly string[] = [],
): Promise<Launch> {
  const { exec, paths } = context
  const own = paths.mission(request.missionId)
  const env = claudeEnvironment({ ...context.env, ...request.variables }, request.missionId)
  const program = findClaude(request.config.command, env)
  refuseBypassAsRoot(request.mode, request.config.args, env)
  const version = claudeVersion(exec, program, env, join(paths.home, 'claude-version.json'))
  const target = {
    events: own.events,
    wakeup: own.wakeup,
    asks: own.asks,
    gate: own.gate,
    wrapperPid: process.pid,
  }
  const primeFile = request.config.prime ? own.prime : null
  if (primeFile !== null) writeFileAtomically(primeFile, primeReply(primeText(context)))
  writeFileAtomically(
    own.claudeSettings,
    JSON.stringify(claudeSettings(knownHookEvents(version), target, primeFile)),
  )
  const { globalConfig } = claudeLocations(env)
  const confirmTrust = async () => {
    if (request.isTrusted) await trustDirectory(globalConfig, request.directory)
  }
  await confirmTrust()
  return {
    program,
    args: [...ownArguments, ...claudeCommandLine({ ...request, settingsPath: own.claudeSettings })],
    directory: request.directory,
    env,
    hasSubmitKeys: knowsSubmitKeys(version),
    asksForTrust: !request.isTrusted && !isTrusted(globalConfig, request.directory),
    confirmTrust,
  }
}
