import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../context.ts'

/** Tells a Claude how to run missions: docs/for-agents.md, which the build puts next to the program. */
export function primeText({ self: [, program] }: Pick<Context, 'self'>): string {
  return readFileSync(join(program!, '..', '..', 'dist', 'for-agents.md'), 'utf8')
}

/** The answer of a SessionStart hook that gives Claude this text. */
export function primeReply(text: string): string {
  return JSON.stringify({
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text },
  })
}

/** The text as a skill, which Claude reads when its description fits the task. */
export function skillText(text: string): string {
  return `---
name: agenc
description: Start, message, wait for, read and land other Claude Code agents (missions) with the agenc command. Use when the user asks to run several agents, to delegate work to another Claude, or mentions agenc or missions.
---

${text}`
}
