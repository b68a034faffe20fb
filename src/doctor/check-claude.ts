import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { claudeLocations } from '../claude/claude-locations.ts'
import { versionIn } from '../claude/claude-version.ts'
import { findClaude } from '../claude/find-claude.ts'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { isAgencError } from '../errors.ts'
import { isAtLeast } from '../system/program-version.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** The version that every test of agenc was run against, and the oldest whose hooks tell all that is needed. */
export const testedVersion = '2.1.325'
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
      `Claude Code ${version} is older than ${oldestVersion}: some states of missions will not be seen`,
      'Update it: claude update',
    )
  }
  const isOfOtherLine = lineOf(version) !== lineOf(testedVersion)
  if (isOfOtherLine && isAtLeast(version, testedVersion)) {
    return warning(
      'claude',
      `Claude Code ${version} is newer than ${testedVersion}, with which agenc was tested`,
      `If missions misbehave: ${pinned}`,
    )
  }
  const tested = version === testedVersion ? 'known to work' : `tested with ${testedVersion}`
  return ok('claude', `Claude Code ${version} (${tested})`)
}

/** Major and minor: within one line little changes. */
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

/** By the traces that a login leaves; nothing secret is opened, and Claude is not started. */
export function checkLogin({ env, exec }: Context, platform: NodeJS.Platform = process.platform): Finding {
  const variable = loginVariables.find(name => env[name])
  if (variable) return ok('claude-login', `by ${variable}`)
  const { directory, globalConfig } = claudeLocations(env)
  if (existsSync(join(directory, '.credentials.json'))) return ok('claude-login', 'logged in')
  if (hasKey(globalConfig, 'oauthAccount')) return ok('claude-login', 'logged in')
  if (hasKey(join(directory, 'settings.json'), 'apiKeyHelper')) return ok('claude-login', 'by apiKeyHelper')
  if (platform === 'darwin' && isInKeychain(exec)) return ok('claude-login', 'logged in')
  return warning('claude-login', 'no sign of a login', 'Start claude once by hand and log in.')
}

/** Whether there is an entry, without its contents: that asks nobody for a password. */
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
