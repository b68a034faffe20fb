import { type AskingTarget, askingHookCommand } from './asking-hook.ts'
import { hookCommand } from './hook-command.ts'
import type { HookEventName } from './hook-events.ts'
import { askAboutToolReply } from './permission-reply.ts'

const hookTimeoutSeconds = 10
/** A day: so long may a request wait for an answer from elsewhere. Its dialog can be answered all the while. */
const answerTimeoutSeconds = 86_400
const dialogTools = 'AskUserQuestion|ExitPlanMode'

export interface SettingsWishes {
  /** There are rules that deny: every use of a tool is shown to the wrapper before it runs. */
  checksEveryTool: boolean
}

/**
 * The settings a mission's Claude gets on top of the user's own: our hooks, and no agent view,
 * whose left-arrow would move the conversation into a daemon outside the wrapper.
 */
export function claudeSettings(
  events: readonly HookEventName[],
  target: AskingTarget,
  { checksEveryTool }: SettingsWishes,
): object {
  const report = { type: 'command', command: hookCommand(target), timeout: hookTimeoutSeconds }
  const ask = { ...report, command: askingHookCommand(target), timeout: answerTimeoutSeconds }
  const check = { ...report, command: askingHookCommand(target, cannotCheck) }
  const matcherOf = (name: HookEventName) => {
    if (name === 'PermissionRequest') return { hooks: [ask] }
    if (name !== 'PreToolUse') return { hooks: [report] }
    return checksEveryTool ? { hooks: [check] } : { matcher: dialogTools, hooks: [report] }
  }
  return { disableAgentView: true, hooks: Object.fromEntries(events.map(name => [name, [matcherOf(name)]])) }
}

const cannotCheck = JSON.stringify(askAboutToolReply('agenc could not compare this with your deny rules'))
