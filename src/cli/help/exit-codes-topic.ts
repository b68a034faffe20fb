import { ExitCode } from '../../errors.ts'
import type { TopicText } from './topic.ts'

const text: TopicText = () => [
  {
    rows: [
      [String(ExitCode.ok), 'done; an empty list too'],
      [String(ExitCode.failed), "failed; with 'doctor': there is a problem"],
      [
        String(ExitCode.usage),
        'bad usage: an unknown command, mission or repo, or no terminal where one is needed',
      ],
      [String(ExitCode.unavailable), 'tmux, git or claude is missing or too old'],
      [String(ExitCode.config), 'config.json is not valid'],
      [String(ExitCode.cancelled), 'you cancelled it'],
    ],
  },
  "'mission new' and 'mission resume' outside tmux end with Claude's own exit code, or 128 + the signal that ended it. Never 2: Claude Code takes 2 from a hook for a veto.",
]

export default text
