import { type ChildProcess, spawn } from 'node:child_process'
import { modeFromWord, type PermissionMode } from './permissions.ts'
import type { ToolInput } from './script.ts'
import { endGroup, terminateGroup } from './signals.ts'

/** All event names that are valid in the settings. Any other name opens a warning dialog at startup. */
export const hookEvents = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'Notification',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'PreModelSwitch',
  'PostModelSwitch',
  'PermissionRequest',
  'PermissionDenied',
  'Setup',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'WorktreeCreate',
  'WorktreeRemove',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
  'DirectoryAdded',
  'MessageDisplay',
] as const

export type HookEvent = (typeof hookEvents)[number]

export function isHookEvent(name: string): name is HookEvent {
  return (hookEvents as readonly string[]).includes(name)
}

const withoutMode = new Set<HookEvent>([
  'SessionStart',
  'SessionEnd',
  'Notification',
  'StopFailure',
  'SubagentStart',
])
const withoutEffort = new Set<HookEvent>([
  'SessionStart',
  'SessionEnd',
  'Notification',
  'SubagentStart',
  'UserPromptSubmit',
])

export const carriesMode = (event: HookEvent): boolean => !withoutMode.has(event)
export const carriesEffort = (event: HookEvent): boolean => !withoutEffort.has(event)

export interface HookCommand {
  command: string
  timeoutMs?: number
}

export interface HookMatcher {
  matcher?: string
  commands: HookCommand[]
}

export type HookSettings = Partial<Record<HookEvent, HookMatcher[]>>

export interface HookOutcome {
  command: string
  /** Null if the command timed out or was killed by a signal. */
  exitCode: number | null
  stdout: string
  stderr: string
}

export interface HookCall {
  event: HookEvent
  payload: Record<string, unknown>
  /** The text that matchers are compared with, such as a tool name, a source or a reason. */
  subject?: string
  /** Ends the commands early, for instance when the user answers a dialog before the hook does. */
  signal?: AbortSignal
}

const defaultTimeoutMs = 600_000
/** SessionEnd hooks get little time, so that a slow one does not keep the terminal occupied. */
const sessionEndTimeoutMs = 1_500

/** Runs the commands of an event in parallel, each in its own session. */
export class Hooks {
  private readonly running = new Set<ChildProcess>()
  private readonly settings: HookSettings
  private readonly env: () => NodeJS.ProcessEnv
  private readonly cwd: string

  constructor(settings: HookSettings, cwd: string, env: () => NodeJS.ProcessEnv) {
    this.settings = settings
    this.cwd = cwd
    this.env = env
  }

  async run(call: HookCall): Promise<HookOutcome[]> {
    const commands = commandsFor(this.settings[call.event] ?? [], call.subject)
    return Promise.all(commands.map(command => this.runOne(command, call)))
  }

  private runOne(hook: HookCommand, call: HookCall): Promise<HookOutcome> {
    const child = spawn('/bin/sh', ['-c', hook.command], { cwd: this.cwd, env: this.env(), detached: true })
    this.running.add(child)
    const output = { stdout: '', stderr: '' }
    child.stdout.on('data', data => {
      output.stdout += data
    })
    child.stderr.on('data', data => {
      output.stderr += data
    })
    child.stdin.on('error', () => {})
    child.stdin.end(`${JSON.stringify(call.payload)}\n`)
    return new Promise(resolve => {
      const finish = (exitCode: number | null) => {
        clearTimeout(timer)
        call.signal?.removeEventListener('abort', stop)
        this.running.delete(child)
        resolve({ command: hook.command, exitCode, ...output })
      }
      const stop = () => terminateGroup(child)
      const timer = setTimeout(() => this.timeOut(child, call.event, finish), timeoutOf(hook, call.event))
      call.signal?.addEventListener('abort', stop, { once: true })
      child.on('error', () => finish(null))
      child.on('close', code => finish(code))
    })
  }

  private timeOut(child: ChildProcess, event: HookEvent, finish: (exitCode: null) => void): void {
    if (event !== 'SessionEnd') terminateGroup(child)
    child.stdout?.destroy()
    child.stderr?.destroy()
    child.unref()
    finish(null)
  }

  /** Ends all running commands when the program exits. A command gets little time to react. */
  async end(): Promise<void> {
    await Promise.all([...this.running].map(child => endGroup(child, sessionEndTimeoutMs)))
  }
}

export function commandsFor(matchers: readonly HookMatcher[], subject?: string): HookCommand[] {
  const commands = matchers.filter(entry => matches(entry.matcher, subject)).flatMap(entry => entry.commands)
  return [...new Map(commands.map(command => [command.command, command])).values()]
}

function matches(matcher: string | undefined, subject: string | undefined): boolean {
  if (!matcher || matcher === '*' || subject === undefined) return true
  try {
    return new RegExp(`^(?:${matcher})$`).test(subject)
  } catch {
    return matcher === subject
  }
}

function timeoutOf(hook: HookCommand, event: HookEvent): number {
  return hook.timeoutMs ?? (event === 'SessionEnd' ? sessionEndTimeoutMs : defaultTimeoutMs)
}

/** The combined decision of all PreToolUse hooks. */
export type PreToolUse =
  | { decision: 'none' }
  | { decision: 'allow' | 'ask'; reason?: string; updatedInput?: ToolInput }
  | { decision: 'deny'; reason: string }

/** The combined decision of all PermissionRequest hooks. */
export type PermissionAnswer =
  | { behavior: 'allow'; updatedInput?: ToolInput; mode?: PermissionMode }
  | { behavior: 'deny'; message: string; interrupt: boolean }

interface HookJson {
  decision?: string
  reason?: string
  hookSpecificOutput?: {
    additionalContext?: string
    permissionDecision?: string
    permissionDecisionReason?: string
    updatedInput?: ToolInput
    decision?: {
      behavior?: string
      message?: string
      interrupt?: boolean
      updatedInput?: ToolInput
      updatedPermissions?: { type?: string; mode?: string }[]
    }
  }
}

const blockingExitCode = 2

/** A hook blocks by exiting with 2. Its stderr gives the reason. */
export function blockedBy(outcomes: readonly HookOutcome[]): HookOutcome | undefined {
  return outcomes.find(outcome => outcome.exitCode === blockingExitCode)
}

/** What hooks tell the model. */
export function additionalContext(outcomes: readonly HookOutcome[]): string[] {
  return outcomes.flatMap(outcome => jsonOf(outcome)?.hookSpecificOutput?.additionalContext ?? [])
}

/** Why a hook does not let a prompt through: by exiting with 2, or by its answer. */
export function promptBlock(outcomes: readonly HookOutcome[]): string | undefined {
  const blocked = blockedBy(outcomes)
  if (blocked) return `[${blocked.command}]: ${blocked.stderr.trimEnd()}`
  const answer = outcomes.map(jsonOf).find(json => json?.decision === 'block')
  return answer && (answer.reason ?? 'Blocked by hook')
}

export function preToolUseAnswer(outcomes: readonly HookOutcome[]): PreToolUse {
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
