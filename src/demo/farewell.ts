import type { Context } from '../context.ts'
import { wrap } from '../io/text.ts'
import { findProgram } from '../system/find-program.ts'

const installClaude = 'npm install -g @anthropic-ai/claude-code'

/** What to do after the demo. */
export function sayFarewell({ err, env }: Context): void {
  const hasClaude = findProgram('claude', env) !== null
  for (const line of wrap(
    'The demo is over, and everything it made is gone. For the real thing:',
    err.columns,
  ))
    err.line(line)
  if (!hasClaude) err.line(`  ${installClaude}`)
  err.line('  agenc setup')
  err.line('  agenc tmux attach')
}
