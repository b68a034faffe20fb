import { modeAliases, permissionModes } from '../../mission/mode-meanings.ts'
import type { TopicText } from './topic.ts'

const text: TopicText = ({ claude: { permission_mode } }) => [
  'A permission mode says what Claude may do unasked:',
  {
    rows: [...permissionModes, ...modeAliases].map(({ name, meaning }) => [name, meaning] as const),
  },
  'Any other word is handed to Claude as it is: new versions bring new modes.',
  'The first of these that is set counts; where none is, Claude decides as if you had started it by hand:',
  {
    rows: [
      ['--permission-mode', "of 'mission new' and 'mission resume', stored with the mission"],
      ['the mission', 'the mode you changed to while it ran (Shift+Tab)'],
      ['the repo', 'agenc config set repos.github.com/owner/name.permission_mode plan'],
      ['the default', `agenc config set claude.permission_mode plan (now: ${permission_mode ?? 'not set'})`],
    ],
  },
]

export default text
