import type { TopicText } from './topic.ts'

const text: TopicText = () => [
  'Every command that prints data takes --json. Lists are arrays, single things objects; keys are in snake_case and never missing, absent values are null, times are ISO 8601 in UTC. Data goes to stdout, everything else to stderr.',
  {
    lines: [
      'agenc mission ls --json |',
      '  jq -r \'.[] | select(.state == "waiting") | .id\'',
      "agenc status --json | jq '.summary.waiting'",
      'id=$(agenc mission new owner/name --no-focus)',
    ],
  },
  '--quiet, where a command has it, leaves nothing but results, warnings and errors, and asks nothing; --yes answers the question before something is deleted. Types for TypeScript come with the package: import type { Mission, Status } from "agenc".',
]

export default text
