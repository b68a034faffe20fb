import type { OptionSpec } from '../../cli/command.ts'

/** Options of the commands that start a mission without a terminal. */
export const headlessOptions: readonly OptionSpec[] = [
  { flags: '--headless', description: 'run it without a terminal and without a window' },
  { flags: '--timeout <duration>', description: 'with --headless: end it after this time, such as 30m' },
  {
    flags: '--ask-timeout <duration>',
    description: 'with --headless: deny a request that nobody answers for this long (default: 10m)',
  },
  { flags: '--wait', description: 'with --headless: wait for the end of the turn and print the answer' },
]
