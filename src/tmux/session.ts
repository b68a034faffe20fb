import { type Context, withChanges } from '../context.ts'
import { AgencError } from '../errors.ts'
import type { MissionId } from '../mission/id.ts'
import { pathsAt } from '../paths.ts'
import { sessionName, sessionTarget, type WindowId } from './place.ts'
import { socketOf, tmuxOf } from './server.ts'
import { literal, type Tmux, type TmuxCommand, tmuxAt } from './tmux.ts'
import { listMissionWindows, windowsIn } from './windows.ts'

/** What a mission needs of the user's present environment, where an old session has an old one. */
const refreshed =
  /^(PATH|SSH_AUTH_SOCK|DISPLAY|WAYLAND_DISPLAY|(HTTPS?|NO|ALL)_PROXY|NODE_EXTRA_CA_CERTS)$|^(CLAUDE|ANTHROPIC)_/i
/** Set by a Claude for what it starts; never to be handed on to a whole session. */
const ofOneClaude =
  /^CLAUDE(CODE$|_CODE_(CHILD|SESSION|ENTRYPOINT|EXECPATH|MESSAGING)|_PID$|_SESSION|_EFFORT$)/

export type SessionState =
  | { kind: 'none' }
  | { kind: 'there'; home: string | null; windows: Map<MissionId, WindowId> }
  | { kind: 'unknown'; message: string }

/** Is the agenc session there, for which agenc home, and which missions have a window? */
export function askForSession(tmux: Tmux): SessionState {
  const answer = tmux.ask(['has-session', '-t', sessionTarget], listMissionWindows, [
    'show-environment',
    ...['-t', `${sessionTarget}:`, 'AGENC_DIRPATH'],
  ])
  if (answer.kind === 'no-server') return { kind: 'none' }
  const { lines } = answer
  if (answer.kind === 'ok') {
    const home = lines.at(-1)!.replace(/^AGENC_DIRPATH=/, '')
    return { kind: 'there', home, windows: windowsIn(lines.slice(0, -1)) }
  }
  if (/can't find session/.test(answer.message)) return { kind: 'none' }
  if (/unknown variable/.test(answer.message)) return { kind: 'there', home: null, windows: windowsIn(lines) }
  return { kind: 'unknown', message: answer.message }
}

/**
 * The server that has the session, or should get it: the recorded one counts only while the session is there.
 * Afterwards it may be gone for good, after a reboot together with the directory of its socket.
 */
export function findSession(context: Context): { tmux: Tmux; state: SessionState } {
  const recorded = tmuxOf(context)
  const state = askForSession(recorded)
  const own = tmuxAt(context.exec, context.env, socketOf(context.env))
  if (state.kind !== 'none' || own.socket === recorded.socket) return { tmux: recorded, state }
  return { tmux: own, state: askForSession(own) }
}

export function cannotBeAsked({ message }: { message: string }): AgencError {
  return new AgencError(`tmux cannot be asked: ${message}`, "Does 'tmux ls' work?")
}

/** A running session goes on with the home that it was started for. */
export function contextOfSession(context: Context, state: SessionState): Context {
  if (state.kind !== 'there' || state.home === null || state.home === context.paths.home) return context
  context.err.line(
    `agenc: the session was started for ${state.home}; that one counts, not ${context.paths.home}.`,
  )
  const env = { ...context.env, AGENC_DIRPATH: state.home }
  return withChanges(context, { paths: pathsAt(state.home), env })
}

export interface FirstWindow {
  name: string
  command: readonly string[]
  environment?: Record<string, string>
}

/**
 * The environment is given at creation: set afterwards, it would come too late for the first window. The user's
 * own settings may let windows stay when they have ended, and sessions end that nobody is attached to: not here.
 */
export function newSession(context: Context, first: FirstWindow): TmuxCommand[] {
  const size = terminalSize()
  const environment = { AGENC_TMUX: '1', AGENC_DIRPATH: context.paths.home, ...first.environment }
  return [
    [
      'new-session',
      '-d',
      ...['-s', sessionName, '-n', first.name, '-c', literal(context.env.HOME ?? '/')],
      ...(size === null ? [] : ['-x', String(size.columns), '-y', String(size.rows)]),
      ...Object.entries(environment).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
      ...first.command,
    ],
    ['set-option', '-t', `${sessionTarget}:`, 'destroy-unattached', 'off'],
    ['set-option', '-w', '-t', `${sessionTarget}:`, 'remain-on-exit', 'off'],
  ]
}

function terminalSize(): { columns: number; rows: number } | null {
  const { columns, rows, isTTY } = process.stdout
  return isTTY && columns > 0 && rows > 0 ? { columns, rows } : null
}

/** Brings an older session up to the caller's PATH, proxies and Claude settings. */
export function refreshEnvironment(env: NodeJS.ProcessEnv): TmuxCommand[] {
  return Object.entries(env)
    .filter(([name, value]) => value !== undefined && refreshed.test(name) && !ofOneClaude.test(name))
    .map(([name, value]) => ['set-environment', '-t', `${sessionTarget}:`, name, value!])
}
