import { dialogTools } from './hook-report.ts'
import { askingHook, gatedHook, type HookTarget, printingHook, reportingHook } from './hook-scripts.ts'
import type { HookEventName } from './known-hook-events.ts'
import { askAboutToolReply } from './permission-reply.ts'

const reportTimeoutSeconds = 10
/** After this time Claude runs the tool unchecked, so the hook must answer well before it is over. */
const checkTimeoutSeconds = 20
/** One day. Claude's own dialog can be answered during all that time. */
const answerTimeoutSeconds = 86_400

/** A conversation that is resumed or forked has the text already. */
const whenUnprimed = 'startup|clear|compact'

/**
 * The settings that a mission's Claude gets on top of the user's own. They add agenc's hooks and turn the agent view
 * off, because its left-arrow key would move the conversation into a daemon outside the wrapper. `primeFile` is shown to
 * Claude when a conversation begins.
 */
export function claudeSettings(
  events: readonly HookEventName[],
  target: HookTarget & { gate: string },
  primeFile: string | null = null,
): object {
  const hook = (command: string, timeout: number) => [{ type: 'command', command, timeout }]
  const report = hook(reportingHook(target), reportTimeoutSeconds)
  const ask = hook(askingHook(target), answerTimeoutSeconds)
  const check = hook(askingHook(target, cannotCheck), checkTimeoutSeconds)
  const gated = hook(gatedHook(target, target.gate), checkTimeoutSeconds)
  const matchersOf = (name: HookEventName) => {
    if (name === 'UserPromptSubmit') return [{ hooks: gated }]
    if (name === 'PermissionRequest') return [{ hooks: ask }]
    if (name === 'SessionStart' && primeFile !== null)
      return [
        { hooks: report },
        { matcher: whenUnprimed, hooks: hook(printingHook(primeFile), reportTimeoutSeconds) },
      ]
    return name === 'PreToolUse'
      ? [{ matcher: Object.keys(dialogTools).join('|'), hooks: report }, { hooks: check }]
      : [{ hooks: report }]
  }
  return { disableAgentView: true, hooks: Object.fromEntries(events.map(name => [name, matchersOf(name)])) }
}

const cannotCheck = JSON.stringify(askAboutToolReply('agenc could not check this'))
