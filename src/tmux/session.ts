import { type Context, withChanges } from '../context.ts'
import { AgencError } from '../errors.ts'
import type { MissionId } from '../mission-id.ts'
import { pathsAt } from '../paths.ts'
import { sessionName, sessionTarget, type WindowId } from './current-window.ts'
import { socketOf, tmuxOf } from './server.ts'
import { source } from './source-script.ts'
import { literal, type Tmux, type TmuxCommand, tmuxAt } from './tmux.ts'
import type { Answer } from './tmux-answer.ts'
import { line } from './tmux-script.ts'
import { listMissionWindows, windowsIn } from './windows.ts'

/** What a mission needs of the user's present environment, where an old session has an old one. */
const refreshed =
  /^(PATH|SSH_AUTH_SOCK|DISPLAY|WAYLAND_DISPLAY|(HTTPS?|NO|ALL)_PROXY|NODE_EXTRA_CA_CERTS)$|^(CLAUDE|ANTHROPIC)_/i
/** Set by a Claude for what it starts; never to be handed on to a whole session. */
const ofOneClaude =
  /^CLAUDE(CODE$|_CODE_(CHILD|SESSION|ENTRYPOINT|EXECPATH|MESSAGING)|_PID$|_SESSION|_EFFORT$)/

/** A session that is there, and everything of it that is needed to end it. */
export interface Session {
  kind: 'there'
  /** The agenc home that it was started for. */
  home: string | null
  windows: Map<MissionId, WindowId>
  clients: string[]
}

export type SessionState = Session | { kind: 'none' } | { kind: 'unknown'; message: string }

const clientMark = 'client='
const homeMark = 'home='

/** Is the agenc session there? With what there is to know about it. */
export const sessionQuestions: readonly TmuxCommand[] = [
  ['has-session', '-t', sessionTarget],
  listMissionWindows,
  ['list-clients', '-t', `${sessionTarget}:`, '-F', `${clientMark}#{client_name}`],
  // A name that tmux does not know is looked for in the environment that a program in the session would get.
  ['display-message', '-p', '-t', `${sessionTarget}:`, `${homeMark}#{AGENC_DIRPATH}`],
]

export function askForSession(tmux: Tmux): SessionState {
  return stateIn(tmux.ask(...sessionQuestions))
}

export function stateIn(answer: Answer): SessionState {
  if (answer.kind === 'no-server') return { kind: 'none' }
  if (answer.kind === 'ok') return sessionIn(answer.lines)
  return /can't find session/.test(answer.message)
    ? { kind: 'none' }
    : { kind: 'unknown', message: answer.message }
}

function sessionIn(lines: readonly string[]): Session {
  const after = (mark: string) =>
    lines.filter(line => line.startsWith(mark)).map(line => line.slice(mark.length))
  return {
    kind: 'there',
    home: after(homeMark)[0] || null,
    windows: windowsIn(lines.filter(line => line.startsWith('@'))),
    clients: after(clientMark),
  }
}

/** The server that has the session, or should get it. */
export function findSession(context: Context): { tmux: Tmux; state: SessionState } {
  const [recorded, own] = serversOf(context)
  const state = askForSession(recorded)
  if (state.kind !== 'none' || own === undefined) return { tmux: recorded, state }
  return { tmux: own, state: askForSession(own) }
}

/**
 * Where the session may be: the recorded server counts only while it is there. Afterwards it may be gone for good,
 * after a reboot together with the directory of its socket.
 */
export function serversOf(context: Context): [Tmux, Tmux?] {
  const recorded = tmuxOf(context)
  const own = tmuxAt(context.exec, context.env, socketOf(context.env))
  return own.socket === recorded.socket ? [recorded] : [recorded, own]
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
  /** Of its program alone, not of the session's later windows. */
  environment?: Record<string, string>
}

/**
 * Creates the session, and does the rest with it in the same call. false: somebody else was quicker.
 * A server that is there already has its environment from whoever started it: ours comes with the session then, on
 * stdin, since an argument list may be too short for it.
 */
export function createSession(
  context: Context,
  tmux: Tmux,
  first: FirstWindow,
  ...rest: TmuxCommand[]
): boolean {
  const { exec, env } = context
  const onServer = [...newSession(context, first, environmentOf(env)), ...rest]
  const sourced = source({ exec, env, tmux }, [onServer.map(line).join(' ; ')])
  const problem = sourced ? sourced.errors[0] : startWith(tmux, [...newSession(context, first, []), ...rest])
  if (problem === undefined) return true
  if (/duplicate session/.test(problem)) return false
  throw new AgencError(`tmux new-session: ${problem}`, "Does 'tmux new-session' work by hand?")
}

function startWith(tmux: Tmux, commands: readonly TmuxCommand[]): string | undefined {
  const answer = tmux.ask(...commands)
  if (answer.kind === 'ok') return undefined
  return answer.kind === 'failed' ? answer.message : 'no server could be started'
}

/**
 * The environment is given at creation: set afterwards, it would come too late for the first window. The user's
 * own settings may let windows stay when they have ended, and sessions end that nobody is attached to: not here.
 */
function newSession(
  context: Context,
  first: FirstWindow,
  shared: readonly (readonly [string, string])[],
): TmuxCommand[] {
  const size = terminalSize()
  const own = Object.entries(first.environment ?? {})
  const environment = [...shared, ['AGENC_TMUX', '1'], ['AGENC_DIRPATH', context.paths.home], ...own]
  return [
    [
      'new-session',
      '-d',
      ...['-s', sessionName, '-n', first.name, '-c', literal(context.env.HOME ?? '/')],
      ...(size === null ? [] : ['-x', String(size.columns), '-y', String(size.rows)]),
      ...environment.flatMap(([name, value]) => ['-e', `${name}=${value}`]),
      ...first.command,
    ],
    ...own.map(([name]) => ['set-environment', '-u', '-t', `${sessionTarget}:`, name]),
    ['set-option', '-t', `${sessionTarget}:`, 'destroy-unattached', 'off'],
    ['set-option', '-w', '-t', `${sessionTarget}:`, 'remain-on-exit', 'off'],
  ]
}

function terminalSize(): { columns: number; rows: number } | null {
  const { columns, rows, isTTY } = process.stdout
  return isTTY && columns > 0 && rows > 0 ? { columns, rows } : null
}

/** Brings an older session up to the caller's PATH, proxies and Claude settings. */
export function refreshEnvironment({ exec, env }: Context, tmux: Tmux): void {
  const set = (name: string, value: string) =>
    line(['set-environment', '-t', `${sessionTarget}:`, name, value])
  source(
    { exec, env, tmux },
    environmentOf(env).map(([name, value]) => set(name, value)),
  )
}

function environmentOf(env: NodeJS.ProcessEnv): [name: string, value: string][] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && refreshed.test(name) && !ofOneClaude.test(name) ? [[name, value]] : [],
  )
}
