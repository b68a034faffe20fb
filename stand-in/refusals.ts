import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Arguments } from './arguments.ts'
import type { Places } from './places.ts'
import { findSession, isSessionId, latestSession, type SavedSession } from './saved-sessions.ts'
import { loadSettings, type Settings } from './settings.ts'

/** Everything a start depends on, found before the screen is touched. */
export type Plan = { saved?: SavedSession; settings: Settings } | { refusal: string }

export function planStart(args: Arguments, places: Places, cwd: string, env: NodeJS.ProcessEnv): Plan {
  const refusal = idRefusal(args, places, cwd) ?? rootRefusal(args, env)
  if (refusal) return { refusal }
  const settings = loadSettings(places.config, cwd, args.settings)
  if (!settings) return { refusal: `Error: Settings file not found: ${resolve(cwd, args.settings ?? '')}` }
  if (args.continue) {
    const saved = latestSession(places, cwd)
    return saved ? { saved, settings } : { refusal: 'No conversation found to continue' }
  }
  if (args.resume === undefined) return { settings }
  if (args.resume === true)
    return { refusal: 'The stand-in has no session picker: give --resume a session ID' }
  const saved = findSession(places, cwd, args.resume)
  return saved ? { saved, settings } : { refusal: `No conversation found with session ID: ${args.resume}` }
}

function idRefusal(args: Arguments, places: Places, cwd: string): string | undefined {
  if (args.sessionId === undefined) return undefined
  if ((args.resume !== undefined || args.continue) && !args.forkSession) {
    return 'Error: --session-id can only be used with --continue or --resume if --fork-session is also specified.'
  }
  if (!isSessionId(args.sessionId)) return 'Error: Invalid session ID. Must be a valid UUID.'
  if (existsSync(places.transcript(cwd, args.sessionId))) {
    return `Error: Session ID ${args.sessionId} is already in use.`
  }
  return undefined
}

function rootRefusal(args: Arguments, env: NodeJS.ProcessEnv): string | undefined {
  if (args.permissionMode !== 'bypassPermissions') return undefined
  if (process.getuid?.() !== 0 || env.IS_SANDBOX === '1') return undefined
  return '--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons'
}
