import type { OptionSpec } from '../../cli/command.ts'

/** Options of the commands that start a mission. */
export const windowOptions: readonly OptionSpec[] = [
  { flags: '--focus', description: 'go to its window, also if an agent runs this command' },
  { flags: '--no-focus', description: 'start it in the agenc session and stay here' },
  { flags: '--detach', description: 'like --no-focus; if there is no session, create one in the background' },
]
