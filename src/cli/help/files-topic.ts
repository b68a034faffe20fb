import type { TopicText } from './topic.ts'

const text: TopicText = () => [
  "Everything is below agenc's home: $AGENC_DIRPATH, or ~/.agenc. Only you can read it.",
  {
    rows: [
      ['config.json', "settings; 'agenc config edit' checks what you save"],
      ['config.schema.json', 'for editors that complete and check config.json'],
      ['database.sqlite', 'the store: missions, repos and their history'],
      ['repos/<host>/<owner>/<name>', 'the library that missions are copied from'],
      ['missions/<uuid>/agent', "a mission's working copy, where its Claude works"],
      ['missions/<uuid>/wrapper.log', 'what agenc did for this mission'],
      ['missions/<uuid>/setup.log', "what the repo's setup printed"],
      ['tmux-socket', 'the tmux server that the agenc session lives on'],
    ],
  },
  'Conversations are kept by Claude Code itself, in ~/.claude/projects.',
]

export default text
