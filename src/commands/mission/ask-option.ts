import type { OptionSpec } from '../../cli/command.ts'

/** An option of the commands whose problems the mission's own Claude can put right. */
export const askOption: OptionSpec = {
  flags: '--ask',
  description: 'if something is not committed or conflicts, ask its Claude to put it right, and try again',
}
