import { type ChildProcess, spawn } from 'node:child_process'
import { modeFromWord, type PermissionMode } from './permissions.ts'
import type { HookCommand, HookMatcher, Settings } from './settings.ts'
import { endGroup, isAlive } from './signals.ts'

/** Every name that may stand under `hooks` in the settings; another one opens the warning dialog. */
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

export interface HookOutcome {
  command: string
  /** null: it did not end by itself. */
  exitCode: number | null
  stdout: string
  stderr: string
}

export interface HookCall {
  event: HookEvent
  payload: Record<string, unknown>
  /** What a matcher is compared with: a tool's name, a source, a reason. */
  subject?: string
  /** Ends the commands early, as when the user turns down what a hook is still thinking about. */
  signal?: AbortSignal
}

const usualTimeoutMs = 600_000
/** A slow SessionEnd hook must not keep the terminal. */
const farewellTimeoutMs = 1_500

/** Runs the commands of an event side by side, each in a session of its own. */
export class Hooks {
  private readonly running = new Set<ChildProcess>()
  private readonly settings: Settings['hooks']
  private readonly env: () => NodeJS.ProcessEnv
  private readonly cwd: string

  constructor(settings: Settings['hooks'], cwd: string, env: () => NodeJS.ProcessEnv) {
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
      const stop = () => signalGroup(child, 'SIGTERM')
      const timer = setTimeout(() => this.timeOut(child, call.event, finish), timeoutOf(hook, call.event))
      call.signal?.addEventListener('abort', stop, { once: true })
      child.on('error', () => finish(null))
      child.on('close', code => finish(code))
    })
  }

  private timeOut(child: ChildProcess, event: HookEvent, finish: (exitCode: null) => void): void {
    if (event !== 'SessionEnd') signalGroup(child, 'SIGTERM')
    child.stdout?.destroy()
    child.stderr?.destroy()
    child.unref()
    finish(null)
  }

  /** For the end of the program: nothing that still waits may hold it up for long. */
  async end(): Promise<void> {
    await Promise.all([...this.running].map(child => endGroup(child, farewellTimeoutMs)))
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
  return hook.timeoutMs ?? (event === 'SessionEnd' ? farewellTimeoutMs : usualTimeoutMs)
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined && isAlive(child)) {
    try {
      process.kill(-child.pid, signal)
    } catch {
      /* gone between the look and the signal */
    }
  }
}

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
