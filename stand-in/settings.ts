import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type HookCommand, type HookMatcher, type HookSettings, hookEvents, isHookEvent } from './hooks.ts'

export interface Settings {
  hooks: HookSettings
  disableAgentView: boolean
  skipBypassWarning: boolean
  defaultMode?: string
  crossSessionInbound?: string
  allow: string[]
  deny: string[]
  /** Problems that a dialog shows before the session starts. */
  problems: SettingsProblem[]
}

export type SettingsProblem =
  | { kind: 'malformed'; path: string }
  | { kind: 'unknown-event'; path: string; event: string }

interface Source {
  path: string
  text: string
}

type Raw = Record<string, unknown>

/** Returns null if `--settings` is neither an existing file nor JSON. */
export function loadSettings(config: string, cwd: string, flag?: string): Settings | null {
  const sources = [
    readSource(join(config, 'settings.json')),
    readSource(join(cwd, '.claude', 'settings.json')),
    readSource(join(cwd, '.claude', 'settings.local.json')),
  ]
  if (flag !== undefined) {
    const source = flagSource(cwd, flag)
    if (!source) return null
    sources.push(source)
  }
  return mergeSources(sources.filter(source => source !== undefined))
}

function flagSource(cwd: string, flag: string): Source | undefined {
  if (parse(flag)) return { path: '--settings', text: flag }
  return readSource(resolve(cwd, flag))
}

function readSource(path: string): Source | undefined {
  try {
    return { path, text: readFileSync(path, 'utf8') }
  } catch {
    return undefined
  }
}

function mergeSources(sources: readonly Source[]): Settings {
  const settings: Settings = {
    hooks: {},
    disableAgentView: false,
    skipBypassWarning: false,
    allow: [],
    deny: [],
    problems: [],
  }
  for (const source of sources) {
    const raw = parse(source.text)
    if (raw) merge(settings, raw, source.path)
    else settings.problems.push({ kind: 'malformed', path: source.path })
  }
  return settings
}

function merge(settings: Settings, raw: Raw, path: string): void {
  if (typeof raw.disableAgentView === 'boolean') settings.disableAgentView = raw.disableAgentView
  if (raw.skipDangerousModePermissionPrompt === true) settings.skipBypassWarning = true
  if (typeof raw.crossSessionInbound === 'string') settings.crossSessionInbound = raw.crossSessionInbound
  const permissions = (raw.permissions ?? {}) as Raw
  if (typeof permissions.defaultMode === 'string') settings.defaultMode = permissions.defaultMode
  settings.allow.push(...strings(permissions.allow))
  settings.deny.push(...strings(permissions.deny))
  for (const [event, matchers] of Object.entries((raw.hooks ?? {}) as Raw)) {
    if (isHookEvent(event))
      settings.hooks[event] = [...(settings.hooks[event] ?? []), ...matchersOf(matchers)]
    else settings.problems.push({ kind: 'unknown-event', path, event })
  }
}

function matchersOf(value: unknown): HookMatcher[] {
  if (!Array.isArray(value)) return []
  return value.map((entry: Raw) => ({
    matcher: typeof entry.matcher === 'string' ? entry.matcher : undefined,
    commands: (Array.isArray(entry.hooks) ? entry.hooks : []).flatMap(commandOf),
  }))
}

function commandOf(hook: Raw): HookCommand[] {
  if (hook.type !== 'command' || typeof hook.command !== 'string') return []
  return [
    { command: hook.command, timeoutMs: typeof hook.timeout === 'number' ? hook.timeout * 1000 : undefined },
  ]
}

function parse(text: string): Raw | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Raw) : undefined
  } catch {
    return undefined
  }
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
}

export function problemLines(problem: SettingsProblem): string[] {
  if (problem.kind === 'malformed') return [problem.path, '└ Invalid or malformed JSON']
  const known = hookEvents.join(', ')
  return [
    problem.path,
    `└ hooks.${problem.event}: Unknown hook event "${problem.event}" was ignored. Valid events: ${known}`,
  ]
}
