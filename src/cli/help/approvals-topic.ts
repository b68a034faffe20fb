import { approveMeanings } from '../../mission/mode-meanings.ts'
import type { TopicText } from './topic.ts'

const text: TopicText = ({ approvals: { mode } }) => [
  `When Claude asks for permission, this decides who answers (--approve, or the setting approvals.mode, now ${mode}):`,
  { rows: approveMeanings.map(({ name, meaning }) => [name, meaning] as const) },
  'Rules stand in config.json. The command or the path must match as a whole; every part of a compound command must pass; what cannot be understood for certain is asked. Deny rules hold in every permission mode.',
  {
    lines: [
      '"approvals": { "mode": "rules", "rules": [',
      '  { "tool": "Bash", "match": "git status*",',
      '    "decision": "allow" },',
      '  { "tool": "Bash", "match": "git push*",',
      '    "decision": "deny" } ] }',
    ],
  },
  'Plans and questions are never answered by a rule.',
]

export default text
