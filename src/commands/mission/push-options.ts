import type { OptionSpec } from '../../cli/command.ts'
import { askOption } from './ask-option.ts'

/** Options of the commands that push a mission's branch. */
export const pushOptions: readonly OptionSpec[] = [
  {
    flags: '--as <name>',
    description: 'the name of the branch at origin (default: its name in the mission)',
  },
  {
    flags: '--force-with-lease',
    description: 'overwrite the branch at origin if it is as the mission saw it last',
    destructive: true,
  },
  { flags: '--commit <message>', description: 'commit uncommitted work first, in your name' },
  askOption,
  {
    flags: '--timeout <seconds>',
    description: 'give up the push after this time; 0 never does (default: 300, on a terminal 0)',
  },
]
