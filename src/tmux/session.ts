import { type Context, withChanges } from '../context.ts'
import { AgencError } from '../errors.ts'
import type { MissionId } from '../mission-id.ts'
import { pathsAt } from '../paths.ts'
import { portVariableNames } from '../system/port-block.ts'
import { sessionName, sessionTarget, type WindowId } from './current-window.ts'
import { refuseErrors, restoringScript } from './keys/inject.ts'
import { isKeyProblem, readKeys } from './keys/read-keys.ts'
import { returnToLastSession } from './return-clients.ts'
import { candidateServers } from './server.ts'
import { stopMarking } from './session-closed-marker.ts'
import { literal, type Tmux, type TmuxCommand } from './tmux.ts'
import type { Answer } from './tmux-answer.ts'
import { line } from './tmux-script.ts'
import { stopNotingOrder } from './window-order.ts'
import { listMissionWindows, windowsIn } from './windows.ts'

/** Variables that a session takes from the user's current environment, because its own may be outdated. */
const refreshed =
  /^(PATH|VISUAL|EDITOR|SSH_AUTH_SOCK|DISPLAY|WAYLAND_DISPLAY|(HTTPS?|NO|ALL)_PROXY|NODE_EXTRA_CA_CERTS)$|^(CLAUDE|ANTHROPIC)_/i
/** Variables that a Claude sets for the programs it starts. A whole session must never inherit them. */
const ofOneClaude =
  /^CLAUDE(CODE$|_CODE_(CHILD|SESSION|ENTRYPOINT|EXECPATH|MESSAGING)|_PID$|_SESSION|_EFFORT$)/

/** Variables that say which mission, or agent, a program belongs to. An agent may have started the tmux server. */
const ofOneMission = [
  'AGENC_MISSION_UUID',
  'AGENC_HERE',
  'AGENC_PARENT_WINDOW',
  ...portVariableNames,
  'CLAUDECODE',
]

/** A running agenc session. */
export interface Session {
  kind: 'there'
  /** The agenc home directory that the session was started for. */
  home: string | null
  windows: Map<MissionId, WindowId>
  clients: string[]
}

export type SessionState = Session | { kind: 'none' } | { kind: 'unknown'; message: string }

const clientMark = 'client='
const homeMark = 'home='

const sessionQuestions: readonly TmuxCommand[] = [
  ['has-session', '-t', sessionTarget],
  listMissionWindows,
  ['list-clients', '-t', `${sessionTarget}:`, '-F', `${clientMark}#{client_name}`],
  // tmux looks up an unknown name in the environment that a program in the session would get.
  ['display-message', '-p', '-t', `${sessionTarget}:`, `${homeMark}#{AGENC_DIRPATH}`],
]

export function askForSession(tmux: Tmux): SessionState {
  const answer = tmux.ask(...sessionQuestions)
  return stateIn(isCutOff(answer) ? tmux.ask(...sessionQuestions) : answer)
}

/** The server may have ended while it was asked. Another question tells. */
function isCutOff(answer: Answer): boolean {
  return answer.kind === 'failed' && /^(server exited|lost server)/.test(answer.message)
}

function stateIn(answer: Answer): SessionState {
  if (answer.kind === 'no-server') return { kind: 'none' }
  if (answer.kind === 'ok') return sessionIn(answer.lines)
  // A server whose last session has just ended has no target at all.
  return /can't find session|no current target/.test(answer.message)
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

/** Finds the server that has the session, or on which it should be created. */
export function findSession(context: Context): { tmux: Tmux; state: SessionState } {
  const [recorded, own] = candidateServers(context)
  const state = askForSession(recorded)
  if (state.kind !== 'none' || own === undefined) return { tmux: recorded, state }
  return { tmux: own, state: askForSession(own) }
}

/** A running session keeps the home directory that it was started for, even if AGENC_DIRPATH has changed since. */
export function contextOfSession(context: Context, state: SessionState): Context {
  const home = otherHome(context, state)
  if (home === null) return context
  context.err.line(`agenc: ${otherHomeNotice(context, home)}`)
  const env = { ...context.env, AGENC_DIRPATH: home }
  return withChanges(context, { paths: pathsAt(home), env })
}

/** The home of the session, if it is not the caller's. */
export function otherHome({ paths }: Context, state: SessionState): string | null {
  return state.kind === 'there' && state.home !== paths.home ? state.home : null
}

export function otherHomeNotice({ paths }: Context, home: string): string {
  return `the session was started with ${home} and keeps using it, not ${paths.home}.`
}

export interface FirstWindow {
  name: string
  /** Defaults to the user's home directory. */
  directory?: string
  command: readonly string[]
  /** Set only for the first program, not for later windows of the session. */
  environment?: Record<string, string>
}

/**
 * Creates the session and runs `rest` in the same call. Returns false if another process created it first. A running
 * server has the environment in which it was started, so the session gets the caller's. It is passed on stdin, because
 * it may be too long for an argument list.
 */
export function createSession(
  context: Context,
  tmux: Tmux,
  first: FirstWindow,
  ...rest: TmuxCommand[]
): boolean {
  const onServer = [...newSession(context, first, environmentOf(context.env)), ...rest]
  const sourced = tmux.source([onServer.map(line).join(' ; ')])
  const problem = sourced ? sourced.errors[0] : startWith(tmux, [...newSession(context, first, []), ...rest])
  if (problem === undefined) return true
  if (/duplicate session/.test(problem)) return false
  throw new AgencError(`tmux new-session: ${problem}`, "Check that 'tmux new-session' works by hand.")
}

function startWith(tmux: Tmux, commands: readonly TmuxCommand[]): string | undefined {
  const answer = tmux.ask(...commands)
  if (answer.kind === 'ok') return undefined
  return answer.kind === 'failed' ? answer.message : 'no server could be started'
}

/**
 * Sets the environment at creation, because the first window would not get a later change. The user's tmux settings may
 * keep windows open after their program ends, or end unattached sessions. The agenc session overrides both.
 */
function newSession(
  context: Context,
  first: FirstWindow,
  shared: readonly (readonly [string, string])[],
): TmuxCommand[] {
  const size = terminalSize()
  const own = Object.entries(first.environment ?? {})
  const foreign = ofOneMission.filter(name => context.env[name] !== undefined || name === 'CLAUDECODE')
  const environment = [...shared, ['AGENC_TMUX', '1'], ['AGENC_DIRPATH', context.paths.home], ...own]
  return [
    [
      'new-session',
      '-d',
      ...['-s', sessionName, '-n', first.name, '-c', literal(first.directory ?? context.env.HOME ?? '/')],
      ...(size === null ? [] : ['-x', String(size.columns), '-y', String(size.rows)]),
      ...environment.flatMap(([name, value]) => ['-e', `${name}=${value}`]),
      ...first.command,
    ],
    ...own.map(([name]) => ['set-environment', '-u', '-t', `${sessionTarget}:`, name]),
    ...foreign.map(name => ['set-environment', '-r', '-t', `${sessionTarget}:`, name]),
    ['set-option', '-t', `${sessionTarget}:`, 'destroy-unattached', 'off'],
    ['set-option', '-w', '-t', `${sessionTarget}:`, 'remain-on-exit', 'off'],
  ]
}

function terminalSize(): { columns: number; rows: number } | null {
  const { columns, rows, isTTY } = process.stdout
  return isTTY && columns > 0 && rows > 0 ? { columns, rows } : null
}

/** Updates the PATH, proxies and Claude settings of an older session to the caller's. */
export function refreshEnvironment({ env }: Context, tmux: Tmux): void {
  tmux.source(
    environmentOf(env).map(([name, value]) =>
      line(['set-environment', '-t', `${sessionTarget}:`, name, value]),
    ),
  )
}

/**
 * Undoes everything that reaches beyond the session: clients return to the session they came from, and the user's keys
 * are bound again. Must run before the missions end, because the session may end with the last of them.
 */
export function releaseSession(tmux: Tmux, { clients }: Session): void {
  // Errors are ignored here: a client may have come from no other session, or have left.
  tmux.source([
    ...clients.map(client => line(returnToLastSession(client))),
    line(stopMarking),
    line(stopNotingOrder),
  ])
  const keys = readKeys(tmux, [])
  const done = keys && tmux.source(restoringScript(keys))
  refuseErrors(done?.errors.filter(isKeyProblem) ?? [])
}

function environmentOf(env: NodeJS.ProcessEnv): [name: string, value: string][] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && refreshed.test(name) && !ofOneClaude.test(name) ? [[name, value]] : [],
  )
}
