import type { HookOutcome } from './hooks.ts'
import { modeFromWord, type PermissionMode } from './modes.ts'

export type Input = Record<string, unknown>

/** What the hooks of PreToolUse want. */
export type PreToolUse =
  | { decision: 'none' }
  | { decision: 'allow' | 'ask'; reason?: string; updatedInput?: Input }
  | { decision: 'deny'; reason: string }

/** What the hooks of PermissionRequest want; undefined: they leave it to the user. */
export type PermissionAnswer =
  | { behavior: 'allow'; updatedInput?: Input; mode?: PermissionMode }
  | { behavior: 'deny'; message: string; interrupt: boolean }

interface HookJson {
  decision?: string
  reason?: string
  hookSpecificOutput?: {
    permissionDecision?: string
    permissionDecisionReason?: string
    updatedInput?: Input
    decision?: {
      behavior?: string
      message?: string
      interrupt?: boolean
      updatedInput?: Input
      updatedPermissions?: { type?: string; mode?: string }[]
    }
  }
}

const blockingExitCode = 2

/** Exit code 2 blocks, and standard error says why. */
export function blockedBy(outcomes: readonly HookOutcome[]): HookOutcome | undefined {
  return outcomes.find(outcome => outcome.exitCode === blockingExitCode)
}

export function preToolUse(outcomes: readonly HookOutcome[]): PreToolUse {
  const blocked = blockedBy(outcomes)
  if (blocked) return { decision: 'deny', reason: `[${blocked.command}]: ${blocked.stderr}` }
  const wishes = outcomes.map(wishOf).filter(wish => wish.decision !== 'none')
  for (const decision of ['deny', 'ask', 'allow'] as const) {
    const wish = wishes.find(candidate => candidate.decision === decision)
    if (wish) return wish
  }
  return { decision: 'none' }
}

function wishOf(outcome: HookOutcome): PreToolUse {
  const answer = jsonOf(outcome)
  const specific = answer?.hookSpecificOutput
  const reason = specific?.permissionDecisionReason ?? answer?.reason
  const decision = specific?.permissionDecision ?? legacyDecision(answer?.decision)
  if (decision === 'deny') return { decision, reason: reason ?? 'Blocked by hook' }
  if (decision === 'allow' || decision === 'ask')
    return { decision, reason, updatedInput: specific?.updatedInput }
  return { decision: 'none' }
}

function legacyDecision(word: string | undefined): string | undefined {
  return word === 'block' ? 'deny' : word === 'approve' ? 'allow' : undefined
}

export function permissionAnswer(outcomes: readonly HookOutcome[]): PermissionAnswer | undefined {
  const decisions = outcomes.flatMap(outcome => jsonOf(outcome)?.hookSpecificOutput?.decision ?? [])
  const denied = decisions.find(decision => decision.behavior === 'deny')
  if (denied) {
    const message = denied.message ?? 'Permission denied by hook'
    return { behavior: 'deny', message, interrupt: denied.interrupt === true }
  }
  const allowed = decisions.find(decision => decision.behavior === 'allow')
  if (!allowed) return undefined
  const mode = allowed.updatedPermissions?.find(update => update.type === 'setMode')?.mode
  return {
    behavior: 'allow',
    updatedInput: allowed.updatedInput,
    mode: mode ? modeFromWord(mode) : undefined,
  }
}

function jsonOf(outcome: HookOutcome): HookJson | undefined {
  if (outcome.exitCode !== 0 || !outcome.stdout.trimStart().startsWith('{')) return undefined
  try {
    return JSON.parse(outcome.stdout) as HookJson
  } catch {
    return undefined
  }
}
