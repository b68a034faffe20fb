import { askingHookCommand } from './asking-hook.ts'
import { type CheckingTarget, checkingHookCommand } from './checking-hook.ts'
import { hookCommand } from './hook-command.ts'
import type { HookEventName } from './known-hook-events.ts'
import { askAboutToolReply } from './permission-reply.ts'

const hookTimeoutSeconds = 10
/** Claude runs the tool when this is over, so the hook has to speak well before. */
const checkTimeoutSeconds = 20
/** A day: so long may a request wait for an answer from elsewhere. Its dialog can be answered all the while. */
const answerTimeoutSeconds = 86_400
const dialogTools = 'AskUserQuestion|ExitPlanMode'

/**
 * The settings a mission's Claude gets on top of the user's own: our hooks, and no agent view,
 * whose left-arrow would move the conversation into a daemon outside the wrapper.
 */
export function claudeSettings(events: readonly HookEventName[], target: CheckingTarget): object {
  const hook = (command: string, timeout: number) => [{ type: 'command', command, timeout }]
  const report = hook(hookCommand(target), hookTimeoutSeconds)
  const ask = hook(askingHookCommand(target), answerTimeoutSeconds)
  const check = hook(checkingHookCommand(target, cannotCheck), checkTimeoutSeconds)
  const matchersOf = (name: HookEventName) => {
    if (name === 'PermissionRequest') return [{ hooks: ask }]
    return name === 'PreToolUse'
      ? [{ matcher: dialogTools, hooks: report }, { hooks: check }]
      : [{ hooks: report }]
  }
  return { disableAgentView: true, hooks: Object.fromEntries(events.map(name => [name, matchersOf(name)])) }
}

const cannotCheck = JSON.stringify(askAboutToolReply('agenc could not compare this with your deny rules'))
