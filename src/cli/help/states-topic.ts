import type { TopicText } from './topic.ts'

const text: TopicText = () => [
  'A mission has a status:',
  {
    rows: [
      ['running', 'its Claude is alive now'],
      ['stopped', 'you ended it, or it left by itself; resume goes on with the conversation'],
      [
        'crashed',
        "nobody ended it: the machine, tmux or the terminal went down; 'agenc tmux restore' brings it back",
      ],
      ['archived', 'put away, with files and conversation; unarchive brings it back'],
    ],
  },
  'A running one also has a state, with its sign in the status line:',
  {
    rows: [
      ['~ starting', 'not ready yet'],
      ['- idle', 'waits for your next prompt'],
      ['+ idle', 'the same, and it has finished something since you looked'],
      ['* busy', 'at work; +bg: a task of its own still runs behind it'],
      ['! waiting', 'cannot go on without you'],
    ],
  },
  'What it waits for:',
  {
    rows: [
      ['permission', 'may it use a tool?'],
      ['question', 'it asks you something'],
      ['plan', 'it has made a plan and wants your word on it'],
      ['trust', 'Claude asks whether it may work in this directory'],
      ['input', 'any other dialog'],
    ],
  },
]

export default text
