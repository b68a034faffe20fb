import type { TopicText } from './topic.ts'

const text: TopicText = () => [
  'Read by agenc:',
  {
    rows: [
      ['AGENC_DIRPATH', "agenc's home, in place of ~/.agenc"],
      ['AGENC_DEBUG', '1: errors come with a stack'],
      ['NO_COLOR, FORCE_COLOR', 'no colours; colours even into a pipe'],
      ['VISUAL, EDITOR', "what 'agenc config edit' opens"],
      ['CLAUDE_CONFIG_DIR', "where Claude Code's own files are"],
    ],
  },
  "Set in a mission's process:",
  {
    rows: [
      ['AGENC_MISSION_UUID', "the mission; on the command line, '.' is this one"],
      ['AGENC_PARENT_WINDOW', 'the tmux window it was started from, where there is one'],
      ['AGENC_TMUX', '1 in the agenc session'],
    ],
  },
]

export default text
