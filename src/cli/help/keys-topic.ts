import type { TopicText } from './topic.ts'

const meanings = {
  new: 'start a mission',
  switch: 'pick a mission and go there',
  next: 'go to the mission that has waited for you longest',
  resume: 'go on with a mission that has ended',
  fork: 'branch off this mission, with its conversation',
  stop: 'end this mission',
  editor: "open the editor at this mission's directory",
  hold: 'hold all approvals: nothing is allowed by a rule any more',
  detach: 'leave the session; everything goes on',
  help: 'show these keys as a menu',
} as const

const text: TopicText = ({ tmux: { prefix_key, keys } }) => [
  `In the agenc session, press your tmux prefix (C-b unless you changed it), then ${prefix_key}, then one of these. In your other tmux sessions every key does what it did before.`,
  {
    rows: Object.entries(meanings).map(
      ([name, meaning]) => [`prefix ${prefix_key} ${keys[name as keyof typeof keys]}`, meaning] as const,
    ),
  },
  'Change the first key, or any of the others, and bind them anew:',
  {
    lines: [
      'agenc config set tmux.prefix_key g',
      'agenc config set tmux.keys.new N',
      'agenc tmux inject-config',
    ],
  },
]

export default text
