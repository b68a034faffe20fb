import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Arguments } from './claude-arguments.ts'
import {
  type ClaudePaths,
  isTrusted,
  noteStart,
  noteTrust,
  readClaudeJson,
  updateClaudeJson,
} from './claude-files.ts'
import { Session } from './claude-session.ts'
import { bypassDialog, settingsDialog, trustDialog } from './dialog-texts.ts'
import type { Dialogs } from './dialogs.ts'
import { modeFromWord, type PermissionMode } from './permissions.ts'
import { claudeVersion, modelId } from './release.ts'
import { findSession, isSessionId, latestSession, type SavedSession } from './saved-conversations.ts'
import { loadSettings, type Settings } from './settings.ts'

/** The facts that are known before the screen is touched, or the reason why the program refuses to start. */
export type Plan = { saved?: SavedSession; settings: Settings } | { refusal: string }

export function planStart(args: Arguments, paths: ClaudePaths, cwd: string, env: NodeJS.ProcessEnv): Plan {
  const refusal = idRefusal(args, paths, cwd) ?? rootRefusal(args, env)
  if (refusal) return { refusal }
  const settings = loadSettings(paths.config, cwd, args.settings)
  if (!settings) return { refusal: `Error: Settings file not found: ${resolve(cwd, args.settings ?? '')}` }
  if (args.continue) {
    const saved = latestSession(paths, cwd)
    return saved ? { saved, settings } : { refusal: 'No conversation found to continue' }
  }
  if (args.resume === undefined) return { settings }
  if (args.resume === true)
    return { refusal: 'The stand-in has no session picker. Give --resume a session ID.' }
  const saved = findSession(paths, cwd, args.resume)
  return saved ? { saved, settings } : { refusal: `No conversation found with session ID: ${args.resume}` }
}

function idRefusal(args: Arguments, paths: ClaudePaths, cwd: string): string | undefined {
  if (args.sessionId === undefined) return undefined
  if ((args.resume !== undefined || args.continue) && !args.forkSession) {
    return 'Error: --session-id can only be used with --continue or --resume if --fork-session is also specified.'
  }
  if (!isSessionId(args.sessionId)) return 'Error: Invalid session ID. Must be a valid UUID.'
  if (existsSync(paths.transcript(cwd, args.sessionId))) {
    return `Error: Session ID ${args.sessionId} is already in use.`
  }
  return undefined
}

function rootRefusal(args: Arguments, env: NodeJS.ProcessEnv): string | undefined {
  if (args.permissionMode !== 'bypassPermissions') return undefined
  if (process.getuid?.() !== 0 || env.IS_SANDBOX === '1') return undefined
  return '--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons'
}

export interface AppStart {
  args: Arguments
  env: NodeJS.ProcessEnv
  cwd: string
  paths: ClaudePaths
  settings: Settings
  saved?: SavedSession
  prompt?: string
  stdin: NodeJS.ReadStream
  stdout: NodeJS.WriteStream
}

/** Creates the session to start, to resume or to fork. */
export function sessionFrom({ args, env, cwd, paths, settings, saved }: AppStart): Session {
  const resumed = saved && !args.forkSession
  const session = new Session({
    sessionId: resumed ? saved.sessionId : (args.sessionId ?? randomUUID()),
    cwd,
    mode: args.permissionMode ?? saved?.mode ?? defaultMode(settings),
    name: args.name ?? saved?.name,
    paths,
    saving: !env.CLAUDE_CODE_CHILD_SESSION || Boolean(env.CLAUDE_CODE_FORCE_SESSION_PERSISTENCE),
    transcriptPath: resumed ? saved.path : undefined,
  })
  if (saved) session.transcript.continueFrom(saved.lines, !resumed)
  return session
}

function defaultMode(settings: Settings): PermissionMode {
  return (settings.defaultMode && modeFromWord(settings.defaultMode)) || 'auto'
}

/**
 * The SessionStart event names the transcript that a conversation started in this directory would have, even
 * after a resume.
 */
export function startEvent({ args, saved, cwd, paths }: AppStart, session: Session): { source: string } {
  const source = saved ? (args.forkSession ? 'fork' : 'resume') : 'startup'
  const expected = { transcript_path: paths.transcript(cwd, session.sessionId) }
  return { source, ...expected, ...(saved ? {} : { model: args.model ?? modelId }), ...session.titleField() }
}

export interface Startup {
  paths: ClaudePaths
  cwd: string
  settings: Settings
  mode: PermissionMode
  dialogs: Dialogs
  signal: AbortSignal
}

/** The exit after a startup dialog was declined. SessionEnd hooks run only if the directory is trusted. */
export type StartupEnd = { exitCode: number; hooks: boolean } | undefined

export async function startupDialogs({
  paths,
  cwd,
  settings,
  mode,
  dialogs,
  signal,
}: Startup): Promise<StartupEnd> {
  await updateClaudeJson(paths.claudeJson, json => noteStart(json, claudeVersion, new Date()))
  if (settings.problems.length > 0) {
    const answer = await dialogs.ask(settingsDialog(settings.problems), signal)
    if (answer && answer !== 'cancelled' && !answer.chosen) return { exitCode: 1, hooks: true }
  }
  if (!isTrusted(readClaudeJson(paths.claudeJson), cwd)) {
    const answer = await dialogs.ask(trustDialog(cwd), signal)
    if (!answer || answer === 'cancelled') return { exitCode: 0, hooks: false }
    if (!answer.chosen) return { exitCode: 1, hooks: false }
    await updateClaudeJson(paths.claudeJson, json => noteTrust(json, cwd))
  }
  if (mode === 'bypassPermissions' && !settings.skipBypassWarning) {
    const answer = await dialogs.ask(bypassDialog(), signal)
    if (!answer || answer === 'cancelled' || !answer.chosen) return { exitCode: 1, hooks: true }
  }
  return undefined
}
