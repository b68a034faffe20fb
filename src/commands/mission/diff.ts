import { defineCommand, jsonOption } from '../../cli/command.ts'
import { readStore } from '../../db/with-store.ts'
import { usageError } from '../../errors.ts'
import { type Comparison, compareWork, type WorkPart } from '../../git-work/comparison.ts'
import { changedFiles, hasChanges, showDiff } from '../../git-work/git-diff.ts'
import { chooseMission } from '../../mission/choose.ts'
import { missionTitle, tell } from '../../mission/tell-done.ts'
import { partOptions, readPart } from './work-part.ts'

interface Input {
  mission?: string
  last?: boolean
  turn?: string
  uncommitted?: boolean
  recorded?: boolean
  stat?: boolean
  patch?: boolean
  nameOnly?: boolean
  color?: string
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Show what a mission has changed since its base: committed or not, with files that git does not track yet. On a terminal, your own pager, colours and diff program show it.',
  arguments: [
    {
      name: 'mission',
      description: "its name or id (the start is enough), or '.' (default: pick from a list)",
    },
  ],
  options: [
    ...partOptions,
    { flags: '--uncommitted', description: 'only what is not committed' },
    { flags: '--stat', description: 'the number of changed lines of each file' },
    { flags: '-p, --patch', description: 'with --stat: the changes too' },
    { flags: '--name-only', description: 'the names of the changed files' },
    { flags: '--color <when>', description: 'auto, always or never' },
    // For the preview of the switcher, which is drawn at every step.
    { flags: '--recorded', description: 'as it was last recorded', hidden: true },
    jsonOption,
  ],
  examples: ['agenc mission diff 3f2a', 'agenc mission diff . --last', 'agenc mission diff fix-login --stat'],
  async run(context, input) {
    const part = readWorkPart(input)
    const looks = readLooks(input)
    const mission = await readStore(context, db =>
      chooseMission(
        context,
        db,
        input.mission,
        { title: 'Show the changes of a mission' },
        { removed: true },
      ),
    )
    const comparison = await compareWork(context, mission, part)
    if (input.json) {
      const files = await changedFiles(comparison)
      context.out.line(JSON.stringify({ mission: mission.id, base: comparison.base, files }))
      return 0
    }
    if (!(await hasChanges(comparison))) {
      context.err.line(nothing(comparison, part))
      return 0
    }
    if (part.last) tell(context, `${missionTitle(mission)}: what has changed ${comparison.words}`)
    await showDiff(context, comparison, looks)
    return 0
  },
})

function nothing({ words, turn }: Comparison, { uncommitted }: WorkPart): string {
  if (uncommitted) return 'Everything is committed.'
  return turn === null ? `Nothing has changed ${words}.` : `Turn ${turn} has changed nothing.`
}

function readWorkPart(input: Input): WorkPart {
  const part = readPart(input)
  if (input.uncommitted && (part.last || part.turn !== undefined))
    throw usageError('--uncommitted and turns exclude each other', 'Give one or the other.')
  return { ...part, uncommitted: input.uncommitted, recorded: input.recorded }
}

function readLooks({ stat, patch, nameOnly, color = 'auto', json }: Input) {
  if (!['auto', 'always', 'never'].includes(color))
    throw usageError(`--color cannot be ${JSON.stringify(color)}`, 'Give auto, always or never.')
  if ([stat, nameOnly, json].filter(Boolean).length > 1)
    throw usageError('--stat, --name-only and --json exclude each other', 'Give one of them.')
  return { stat, nameOnly, patch, ...(color === 'auto' ? {} : { hasColour: color === 'always' }) }
}
