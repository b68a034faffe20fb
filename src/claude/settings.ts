import type { HookEventName } from './hook-events.ts'

const hookTimeoutSeconds = 10
const dialogTools = 'AskUserQuestion|ExitPlanMode'

/** Where a hook leaves its event, and which bell it rings then. */
export interface HookTarget {
  events: string
  bell: string
}

/**
 * The settings a mission's Claude gets on top of the user's own: our hooks, and no agent view,
 * whose left-arrow would move the conversation into a daemon outside the wrapper.
 */
export function claudeSettings(events: readonly HookEventName[], target: HookTarget): object {
  const command = hookCommand(target)
  const hook = { type: 'command', command, timeout: hookTimeoutSeconds }
  const entries = events.map(name => [
    name,
    [{ ...(name === 'PreToolUse' ? { matcher: dialogTools } : {}), hooks: [hook] }],
  ])
  return { disableAgentView: true, hooks: Object.fromEntries(entries) }
}

/**
 * sh alone, no script file, no Node. `command exec` because a failed plain `exec` ends dash with 2, which
 * Claude reads as "block". The bell is rung last, when the file is whole; without a bell nothing is kept.
 */
export function hookCommand({ events, bell }: HookTarget): string {
  const [directory, fifo] = [quoted(events), quoted(bell)]
  return `umask 077;[ -p ${fifo} ]&&command exec >${directory}/$$ 2>/dev/null||exit 0;cat;command exec 1<>${fifo}&&printf .;exit 0`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
