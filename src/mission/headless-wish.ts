import { claudeLocations } from '../claude/claude-locations.ts'
import { claudeMode } from '../claude/permission-mode.ts'
import { isTrusted } from '../claude/trust.ts'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { AgencError, usageError } from '../errors.ts'
import { parseDuration } from '../io/duration.ts'
import type { DirectorySource } from './directory.ts'
import { effectiveMode } from './effective-settings.ts'
import { type HeadlessLimits, usualAskTimeoutMs } from './headless-limits.ts'

export interface HeadlessInput {
  headless?: boolean
  timeout?: string
  askTimeout?: string
  wait?: boolean
  force?: boolean
  permissionMode?: string
}

/** Null for a mission with a terminal. Throws a usage error if the options contradict each other. */
export function headlessLimits(input: HeadlessInput): HeadlessLimits | null {
  const { headless, timeout, askTimeout, wait } = input
  if (!headless) {
    const [stray] = Object.entries({
      '--timeout': timeout,
      '--ask-timeout': askTimeout,
      '--wait': wait,
    }).find(([, value]) => value !== undefined) ?? [null]
    if (stray !== null) throw usageError(`${stray} has a meaning only with --headless`)
    return null
  }
  return {
    timeout_ms: timeout === undefined ? null : parseDuration(timeout, '--timeout'),
    ask_timeout_ms: askTimeout === undefined ? usualAskTimeoutMs : parseAskTimeout(askTimeout),
  }
}

/** Claude waits one day for its hook. Without a terminal, a request that no hook answers stays open for ever. */
const longestAskMs = 23 * 3_600_000

function parseAskTimeout(text: string): number {
  const milliseconds = parseDuration(text, '--ask-timeout')
  if (milliseconds <= longestAskMs) return milliseconds
  throw usageError(`--ask-timeout ${text} is too long`, 'Claude waits for an answer for at most 23h.')
}

/** In plan mode Claude ends its work with a plan, and waits until someone approves it. */
export function refusePlanMode(mode: string | null, isForced: boolean): void {
  if (isForced || mode === null || claudeMode(mode) !== 'plan') return
  throw usageError(
    'in plan mode, a mission without a terminal does nothing but wait for the approval of its plan',
    "Choose another --permission-mode, or add --force and approve the plan with 'agenc mission answer'.",
  )
}

/** The mode that a new mission will have. */
export function modeOfNew(permissionMode: string | null, repo: string | null, config: Config): string | null {
  return effectiveMode({ permission_mode: permissionMode, repo, reported_permission_mode: null }, config).mode
}

/** Without a terminal, Claude takes every directory as trusted, and runs the hooks and servers that are set up there. */
export function refuseUntrusted({ env }: Context, source: DirectorySource): void {
  if (source.kind === 'repo' && !source.isTrusted)
    throw new AgencError(
      `${source.id} is not trusted, and without a terminal Claude cannot ask you about it`,
      `Trust it with: agenc repo trust ${source.id}`,
    )
  if (source.kind === 'dir' && !isTrusted(claudeLocations(env).globalConfig, source.path))
    throw new AgencError(
      `${source.path} is not trusted, and without a terminal Claude cannot ask you about it`,
      'Start a mission there with a terminal once, and trust the directory when Claude asks.',
    )
}
