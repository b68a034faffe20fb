import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { claudeLocations } from '../claude/claude-locations.ts'
import { versionIn } from '../claude/claude-version.ts'
import { findClaude } from '../claude/find-claude.ts'
import { reportingHook } from '../claude/hook-scripts.ts'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { isAgencError } from '../errors.ts'
import { makeTemporaryDirectoryIn, temporaryPlaces } from '../io/temporary-directory.ts'
import { makerMark } from '../system/maker.ts'
import { isAtLeast } from '../system/program-version.ts'
import { type Finding, ok, problem, warning } from './findings.ts'

/** The version that agenc's tests run against. */
export const testedVersion = '2.1.325'
/** Hooks of older versions do not report everything that agenc needs. */
const oldestVersion = '2.1.78'

export function checkClaude({ exec, env }: Context, config: Config): Finding {
  let program: string
  try {
    program = findClaude(config.claude.command, env)
  } catch (error) {
    if (!isAgencError(error)) throw error
    return problem('claude', error.message, error.hint ?? 'Install Claude Code.')
  }
  const answer = exec.capture(program, ['--version'], { env, timeoutMs: 10_000 })
  const version = answer.exitCode === 0 ? versionIn(answer.stdout) : null
  return version
    ? judgeVersion(version)
    : problem('claude', `${program} --version does not work`, `Try it by hand: ${program} --version`)
}

const pinned = `npm install -g @anthropic-ai/claude-code@${testedVersion}`

export function judgeVersion(version: string): Finding {
  if (!isAtLeast(version, oldestVersion)) {
    return warning(
      'claude',
      `Claude Code ${version} is older than ${oldestVersion}; agenc will miss some states of missions`,
      'Update it: claude update',
    )
  }
  const isOfOtherLine = lineOf(version) !== lineOf(testedVersion)
  if (isOfOtherLine && isAtLeast(version, testedVersion)) {
    return warning(
      'claude',
      `Claude Code ${version} is newer than ${testedVersion}, the version that agenc was tested with`,
      `If missions misbehave: ${pinned}`,
    )
  }
  const tested = version === testedVersion ? 'known to work' : `tested with ${testedVersion}`
  return ok('claude', `Claude Code ${version} (${tested})`)
}

/** Major and minor version: patch releases change little. */
function lineOf(version: string): string {
  return version.split('.', 2).join('.')
}

const loginVariables = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
]

/** Looks for traces of a login. Opens no secret and does not start Claude. */
export function checkLogin({ env, exec }: Context, platform: NodeJS.Platform = process.platform): Finding {
  const variable = loginVariables.find(name => env[name])
  if (variable) return ok('claude-login', `by ${variable}`)
  const { directory, globalConfig } = claudeLocations(env)
  if (existsSync(join(directory, '.credentials.json'))) return ok('claude-login', 'logged in')
  if (hasKey(globalConfig, 'oauthAccount')) return ok('claude-login', 'logged in')
  if (hasKey(join(directory, 'settings.json'), 'apiKeyHelper')) return ok('claude-login', 'by apiKeyHelper')
  if (platform === 'darwin' && isInKeychain(exec)) return ok('claude-login', 'logged in')
  return warning('claude-login', 'no sign of a login', 'Start claude once and log in.')
}

/** Looks for the entry without reading it, so that macOS does not ask for a password. */
function isInKeychain(exec: Context['exec']): boolean {
  return exec.capture('security', ['find-generic-password', '-s', 'Claude Code-credentials']).exitCode === 0
}

function hasKey(path: string, key: string): boolean {
  try {
    const data: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof data === 'object' && data !== null && Object.hasOwn(data, key)
  } catch {
    return false
  }
}

const event = '{"hook_event_name":"Stop"}\n'
const timeoutMs = 5_000

export function checkHook(context: Context): Finding {
  try {
    return tryHook(context)
  } catch (error) {
    return failed((error as Error).message)
  }
}

/** The prefix of the directory in which the hook is tried. */
export const trialPrefix = 'doctor-'

/** Runs the hook as Claude would, with the same shell and on the same file system. */
function tryHook({ exec, env, paths }: Context): Finding {
  // A home that exists must do: missions have their FIFOs there.
  const places = existsSync(paths.home) ? [paths.home] : temporaryPlaces(paths.home)
  const { path: directory, remove } = makeTemporaryDirectoryIn(places, trialPrefix + makerMark())
  const [events, wakeup] = [join(directory, 'ev'), join(directory, 'bell')]
  try {
    mkdirSync(events, { mode: 0o700 })
    const made = exec.capture('mkfifo', ['-m', '600', wakeup], { env })
    if (made.exitCode !== 0) return failed(`cannot create a FIFO: ${made.stderr.trim()}`)
    const command = reportingHook({ events, wakeup })
    const done = exec.capture('/bin/sh', ['-c', command], { env, input: event, timeoutMs })
    if (done.exitCode !== 0)
      return failed(`sh failed (${done.signal ?? `exit ${done.exitCode}`}): ${done.stderr.trim()}`)
    const kept = readdirSync(events).map(name => readFileSync(join(events, name), 'utf8'))
    return kept.length === 1 && kept[0] === event
      ? ok('hooks', 'reports from Claude arrive')
      : failed('an event did not arrive')
  } finally {
    remove()
  }
}

function failed(reason: string): Finding {
  return problem(
    'hooks',
    `agenc cannot follow the states of missions: ${reason}`,
    'Check that /bin/sh is a POSIX shell, and set AGENC_DIRPATH to a directory on a local disk.',
  )
}
