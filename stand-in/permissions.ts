import { dirname, isAbsolute, join } from 'node:path'
import type { ToolInput } from './script.ts'

/** The names used in hooks and transcripts. On the command line, `manual` stands for `default`. */
export type PermissionMode = 'acceptEdits' | 'auto' | 'bypassPermissions' | 'default' | 'dontAsk' | 'plan'

export const modeChoices = ['acceptEdits', 'auto', 'bypassPermissions', 'manual', 'dontAsk', 'plan'] as const

export function modeFromWord(word: string): PermissionMode | undefined {
  if (word === 'manual' || word === 'default') return 'default'
  return modeChoices.find(choice => choice === word) as PermissionMode | undefined
}

/** The mode that Shift+Tab switches to. */
export function nextMode(mode: PermissionMode, bypassAllowed: boolean): PermissionMode {
  const cycle: PermissionMode[] = bypassAllowed
    ? ['default', 'acceptEdits', 'plan', 'bypassPermissions', 'auto']
    : ['default', 'acceptEdits', 'plan', 'auto']
  return cycle[(cycle.indexOf(mode) + 1) % cycle.length] ?? 'default'
}

const labels: Record<PermissionMode, string> = {
  acceptEdits: '⏵⏵ accept edits on',
  auto: '⏵⏵ auto mode on',
  bypassPermissions: '⏵⏵ bypass permissions on',
  default: '⏸ manual mode on',
  dontAsk: "⏵⏵ don't ask on",
  plan: '⏸ plan mode on',
}

export function modeLabel(mode: PermissionMode): string {
  return labels[mode]
}

export interface ToolUse {
  id: string
  name: string
  /** The input as the model gave it. */
  given: ToolInput
  /** The input as hooks receive it: paths are absolute and defaults are filled in. */
  input: ToolInput
}

export type Suggestion =
  | { type: 'addDirectories'; directories: string[]; destination: string }
  | {
      type: 'addRules'
      rules: { toolName: string; ruleContent: string }[]
      behavior: 'allow'
      destination: string
    }
  | { type: 'setMode'; mode: PermissionMode; destination: string }

export interface Rules {
  mode: PermissionMode
  cwd: string
  allow: readonly string[]
  deny: readonly string[]
  planFile: string
}

const harmlessCommands = new Set([
  'cat',
  'date',
  'echo',
  'head',
  'ls',
  'printf',
  'pwd',
  'sleep',
  'tail',
  'true',
  'wc',
  'which',
])
const fileCommands = new Set(['cp', 'ln', 'mkdir', 'mv', 'rm', 'rmdir', 'sed', 'touch'])
const editTools = new Set(['Edit', 'NotebookEdit', 'Write'])
const userOnlyTools = new Set(['AskUserQuestion', 'ExitPlanMode'])

/** Plans and questions always go to the user. No mode, rule or hook changes that. */
export function isForUserOnly(tool: ToolUse): boolean {
  return userOnlyTools.has(tool.name)
}

export function permissionFor(tool: ToolUse, rules: Rules): 'allow' | 'ask' | 'deny' {
  if (rules.deny.some(rule => ruleCovers(rule, tool))) return 'deny'
  if (isForUserOnly(tool)) return 'ask'
  if (rules.mode === 'bypassPermissions' || rules.allow.some(rule => ruleCovers(rule, tool))) return 'allow'
  if (isHarmless(tool, rules)) return 'allow'
  if (rules.mode === 'acceptEdits' && isEdit(tool, rules.cwd)) return 'allow'
  if (rules.mode === 'auto') return 'allow'
  return rules.mode === 'dontAsk' ? 'deny' : 'ask'
}

/** Understands `Bash`, `Bash(git status)` and `Bash(git *)`. */
function ruleCovers(rule: string, tool: ToolUse): boolean {
  const [, name, pattern] = /^([^(]+)(?:\((.*)\))?$/s.exec(rule) ?? []
  if (name !== tool.name) return false
  if (pattern === undefined) return true
  const subject = String(tool.input.command ?? tool.input.file_path ?? '')
  const stem = pattern.replace(/:?\s?\*$/, '')
  return stem === pattern ? subject === pattern : subject === stem || subject.startsWith(`${stem} `)
}

function isHarmless(tool: ToolUse, rules: Rules): boolean {
  if (tool.name === 'Write') return rules.mode === 'plan' && tool.input.file_path === rules.planFile
  if (tool.name !== 'Bash') return !editTools.has(tool.name)
  const command = commandOf(tool)
  if (/[>`]|\$\(/.test(command)) return false
  return command.split(/&&|\|\||[;|\n]/).every(part => harmlessCommands.has(firstWord(part)))
}

function isEdit(tool: ToolUse, cwd: string): boolean {
  if (editTools.has(tool.name)) return isInside(String(tool.input.file_path), cwd)
  if (tool.name !== 'Bash' || !fileCommands.has(firstWord(commandOf(tool)))) return false
  return isInside(targetOf(commandOf(tool), cwd), cwd)
}

function isInside(path: string, cwd: string): boolean {
  return path === cwd || path.startsWith(`${cwd}/`)
}

/** The permission updates that Claude offers in the dialog. There are none for plans and questions. */
export function suggestionsFor(tool: ToolUse, cwd: string): Suggestion[] | undefined {
  if (isForUserOnly(tool)) return undefined
  const acceptEdits: Suggestion = { type: 'setMode', mode: 'acceptEdits', destination: 'session' }
  if (editTools.has(tool.name)) return [acceptEdits]
  const command = commandOf(tool)
  if (fileCommands.has(firstWord(command))) {
    const directories = [dirname(targetOf(command, cwd))]
    return [{ type: 'addDirectories', directories, destination: 'session' }, acceptEdits]
  }
  const rules = [{ toolName: tool.name, ruleContent: rememberedCommand(command) }]
  return [{ type: 'addRules', rules, behavior: 'allow', destination: 'localSettings' }]
}

/**
 * `npm test -- --watch` becomes `npm test *`. Without a plain second word, the rule is the command itself.
 */
export function rememberedCommand(command: string): string {
  const [program = '', verb = ''] = command.trim().split(/\s+/)
  return /^[a-z][a-z-]*$/.test(verb) ? `${program} ${verb} *` : command
}

function targetOf(command: string, cwd: string): string {
  const path = command.trim().split(/\s+/).at(-1) ?? ''
  return isAbsolute(path) ? path : join(cwd, path)
}

function commandOf(tool: ToolUse): string {
  return String(tool.input.command ?? '')
}

function firstWord(command: string): string {
  return command.trim().split(/\s+/)[0] ?? ''
}
