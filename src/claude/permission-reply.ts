import type { Allowance } from './agent-report.ts'

/** The JSON that a hook prints for Claude. */
export type Reply =
  | { hookSpecificOutput: { hookEventName: string; [key: string]: unknown } }
  | { decision: 'block'; reason: string }

export function allowReply({ mode, input }: Allowance = {}): Reply {
  const updatedPermissions = mode ? [{ type: 'setMode', mode, destination: 'session' }] : undefined
  return permissionReply({ behavior: 'allow', updatedInput: input, updatedPermissions })
}

/** The message reaches the model as the tool's result. */
export function denyReply(message: string): Reply {
  return permissionReply({ behavior: 'deny', message })
}

function permissionReply(decision: Record<string, unknown>): Reply {
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } }
}

/** For a tool that Claude would run without asking. */
export function refuseToolReply(message: string): Reply {
  return toolReply('deny', message)
}

export function askAboutToolReply(message: string): Reply {
  return toolReply('ask', message)
}

/** The prompt returns to the box, and the reason is shown above it. */
export function blockPromptReply(reason: string): Reply {
  return { decision: 'block', reason }
}

function toolReply(decision: string, message: string): Reply {
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: decision,
      permissionDecisionReason: message,
    },
  }
}
