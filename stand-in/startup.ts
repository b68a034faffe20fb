import { isTrusted, noteStart, noteTrust, readClaudeJson, updateClaudeJson } from './claude-json.ts'
import { bypassDialog, settingsDialog, trustDialog } from './dialog-texts.ts'
import type { Dialogs } from './dialogs.ts'
import type { PermissionMode } from './modes.ts'
import type { Places } from './places.ts'
import type { Settings } from './settings.ts'
import { claudeVersion } from './version.ts'

export interface Startup {
  places: Places
  cwd: string
  settings: Settings
  mode: PermissionMode
  dialogs: Dialogs
  signal: AbortSignal
}

/** How a start ends when the user does not want it; hooks hear of it only in a trusted directory. */
export type StartupEnd = { exitCode: number; hooks: boolean } | undefined

export async function startupDialogs({
  places,
  cwd,
  settings,
  mode,
  dialogs,
  signal,
}: Startup): Promise<StartupEnd> {
  await updateClaudeJson(places.claudeJson, json => noteStart(json, claudeVersion, new Date()))
  if (settings.problems.length > 0) {
    const answer = await dialogs.ask(settingsDialog(settings.problems), signal)
    if (answer && answer !== 'cancelled' && !answer.chosen) return { exitCode: 1, hooks: true }
  }
  if (!isTrusted(readClaudeJson(places.claudeJson), cwd)) {
    const answer = await dialogs.ask(trustDialog(cwd), signal)
    if (!answer || answer === 'cancelled') return { exitCode: 0, hooks: false }
    if (!answer.chosen) return { exitCode: 1, hooks: false }
    await updateClaudeJson(places.claudeJson, json => noteTrust(json, cwd))
  }
  if (mode === 'bypassPermissions' && !settings.skipBypassWarning) {
    const answer = await dialogs.ask(bypassDialog(), signal)
    if (!answer || answer === 'cancelled' || !answer.chosen) return { exitCode: 1, hooks: true }
  }
  return undefined
}
