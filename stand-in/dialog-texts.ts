import { basename } from 'node:path'
import type { Choice, Dialog } from './dialogs.ts'
import { type PermissionMode, rememberedCommand, type Suggestion, type ToolUse } from './permissions.ts'
import { problemLines, type SettingsProblem } from './settings.ts'

/** The user's answer to a permission dialog. */
export type PermissionChoice = { allow: true; mode?: PermissionMode; remember?: string } | { allow: false }

const amendHint = 'Esc to cancel · Tab to amend'
const confirmHint = 'Enter to confirm · Esc to cancel'

export function permissionDialog(
  tool: ToolUse,
  suggestions: readonly Suggestion[] | undefined,
  options: { reason?: string; agentType?: string },
): Dialog<PermissionChoice> {
  const from = options.agentType ? ` · from the ${options.agentType} agent` : ''
  const edits = tool.name === 'Write' || tool.name === 'Edit'
  const choices = edits ? editChoices() : commandChoices(tool, options.reason ? undefined : suggestions)
  return {
    title: `${edits ? 'Edit file' : `${tool.name} command`}${from}`,
    body: [...bodyOf(tool), ...(options.reason ? [options.reason] : [])],
    question: edits ? `Do you want to ${editQuestion(tool)}?` : 'Do you want to proceed?',
    choices,
    hint: amendHint,
    numbered: true,
    waitingFor: 'permission prompt',
  }
}

function bodyOf(tool: ToolUse): string[] {
  const { command, description, file_path: path, content, new_string: text } = tool.input
  if (command) return [...(description ? [String(description)] : []), ...String(command).split('\n')]
  if (path) return [basename(String(path)), ...String(content ?? text ?? '').split('\n')]
  return [JSON.stringify(tool.input)]
}

function editQuestion(tool: ToolUse): string {
  const file = basename(String(tool.input.file_path))
  return tool.name === 'Write' ? `create ${file}` : `make this edit to ${file}`
}

function editChoices(): Choice<PermissionChoice>[] {
  const all =
    'Yes, and switch to accept edits (auto-approve file edits and common file commands) for this session'
  return [
    { label: 'Yes', value: { allow: true } },
    { label: `${all} (shift+tab)`, value: { allow: true, mode: 'acceptEdits' } },
    { label: 'No', value: { allow: false } },
  ]
}

function commandChoices(tool: ToolUse, suggestions?: readonly Suggestion[]): Choice<PermissionChoice>[] {
  const yes: Choice<PermissionChoice> = { label: 'Yes', value: { allow: true } }
  const no: Choice<PermissionChoice> = { label: 'No', value: { allow: false } }
  if (!suggestions) return [yes, no]
  const auto = 'Yes, and switch to auto mode · auto mode handles these prompts for you'
  return [
    yes,
    rememberChoice(tool, suggestions[0]),
    { label: auto, value: { allow: true, mode: 'auto' } },
    no,
  ]
}

function rememberChoice(tool: ToolUse, suggestion: Suggestion | undefined): Choice<PermissionChoice> {
  const command = String(tool.input.command ?? '')
  if (suggestion?.type === 'addDirectories') {
    const label = `Yes, and always allow access to ${suggestion.directories[0]} from this project`
    return { label, value: { allow: true, remember: `${tool.name}(${command.split(' ')[0]} *)` } }
  }
  const rule = rememberedCommand(command)
  return {
    label: `Yes, and don’t ask again for: ${rule}`,
    value: { allow: true, remember: `${tool.name}(${rule})` },
  }
}

export interface Question {
  question: string
  header: string
  multiSelect?: boolean
  options: { label: string; description?: string }[]
}

export function questionDialog({ question, header, options }: Question): Dialog<string> {
  return {
    title: `☐ ${header}`,
    body: [],
    question,
    choices: options.map(({ label, description }) => ({ label, detail: description, value: label })),
    hint: 'Enter to select · ↑/↓ to navigate · Esc to cancel',
    numbered: true,
    waitingFor: 'input needed',
  }
}

/** Resolves to the mode to continue in, or to undefined if the user wants to keep planning. */
export function planDialog(plan: string | null, path: string): Dialog<PermissionMode | undefined> {
  const shared = { hint: path, numbered: true, waitingFor: 'permission prompt' as const }
  if (plan === null) {
    return {
      ...shared,
      title: 'Exit plan mode?',
      body: ['Claude wants to exit plan mode'],
      choices: [
        { label: 'Yes, and switch to default (ask each time) for this session', value: 'default' },
        { label: 'No', value: undefined },
      ],
    }
  }
  return {
    ...shared,
    title: 'Ready to code?',
    body: ["Here is Claude's plan:", ...plan.split('\n')],
    question: 'Claude has written up a plan and is ready to execute. Would you like to proceed?',
    choices: [
      { label: 'Yes, and use auto mode', value: 'auto' },
      { label: 'Yes, manually approve edits', value: 'default' },
      { label: 'Tell Claude what to change', value: undefined },
    ],
  }
}

export function trustDialog(cwd: string): Dialog<boolean> {
  return {
    title: 'Accessing workspace:',
    body: [
      cwd,
      'Quick safety check: is this a project you created or one you trust? If not, take a moment to review what is in this folder first.',
      'Claude Code will be able to read, edit, and execute files here.',
    ],
    choices: [
      { label: 'No, exit', value: false },
      { label: 'Yes, I trust this folder', value: true },
    ],
    hint: confirmHint,
    numbered: false,
    waitingFor: 'dialog open',
  }
}

export function bypassDialog(): Dialog<boolean> {
  return {
    title: 'WARNING: Claude Code running in Bypass Permissions mode',
    body: ['In this mode nothing asks for your approval: use it only in a sandbox that can be restored.'],
    choices: [
      { label: 'No, exit', value: false },
      { label: 'Yes, I accept', value: true },
    ],
    hint: confirmHint,
    numbered: false,
    waitingFor: 'dialog open',
  }
}

export function heldMessageDialog(from: string, text: string): Dialog<boolean> {
  return {
    title: 'Held message from another session',
    body: [`Another Claude session sent a message: from ${from}`, text],
    choices: [
      { label: 'Deny — drop it and tell the sender it was declined', value: false },
      { label: 'Deliver this message to Claude', value: true },
    ],
    hint: confirmHint,
    numbered: false,
    waitingFor: 'permission prompt',
  }
}

export function settingsDialog(problems: readonly SettingsProblem[]): Dialog<boolean> {
  const malformed = problems.some(problem => problem.kind === 'malformed')
  const goOn = { label: malformed ? 'Continue without these settings' : 'Continue', value: true }
  const fix = { label: 'Fix with Claude', value: true }
  const leave = { label: 'Exit and fix manually', value: false }
  return {
    title: malformed ? 'Settings Error' : 'Settings Warning',
    body: problems.flatMap(problemLines),
    choices: malformed ? [fix, leave, goOn] : [goOn, fix, leave],
    hint: confirmHint,
    numbered: true,
    waitingFor: 'dialog open',
  }
}
