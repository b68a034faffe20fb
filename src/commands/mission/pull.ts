import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import { withStore } from '../../db/with-store.ts'
import { usageError } from '../../errors.ts'
import type { Way } from '../../git-work/compose.ts'
import { describePull, pullWork } from '../../git-work/pull.ts'
import { chooseMission } from '../../mission/choose.ts'
import { tell } from '../../mission/tell-done.ts'
import { shortId } from '../../mission-id.ts'
import { isRefName } from '../../repo/ref-names.ts'
import { interruptible } from '../../system/signals.ts'
import { withHelpOfClaude } from '../../wrapper/ask-claude.ts'
import { askOption } from './ask-option.ts'

interface Input {
  mission?: string
  into?: string
  merge?: boolean
  rebase?: boolean
  squash?: boolean
  onto?: string
  as?: string
  commit?: string
  message?: string
  force?: boolean
  ask?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description:
    "Bring a mission's branch into your own checkout. Without --merge, --rebase or --squash it becomes a branch there, and nothing else changes. Nothing is changed if it would conflict.",
  arguments: [{ name: 'mission', description: "its name or id, or '.' (default: pick from a list)" }],
  options: [
    {
      flags: '--into <path>',
      description: 'your checkout (default: the known one, else the current directory)',
    },
    { flags: '--merge', description: 'merge it into the current branch of the checkout' },
    { flags: '--rebase', description: 'put its commits on top of that branch' },
    { flags: '--squash', description: 'put its work on top of that branch as one commit' },
    { flags: '--onto <branch>', description: 'another branch than the current one' },
    { flags: '--as <name>', description: 'another name for the branch in your checkout' },
    { flags: '--message <text>', description: 'message of the merge or of the squashed commit' },
    {
      flags: '--commit <message>',
      description: 'first commit what the mission has not committed, in your name',
    },
    {
      flags: '--force',
      description: 'replace a branch of the same name that has other commits',
      destructive: true,
    },
    askOption,
    quietOption,
    jsonOption,
  ],
  examples: [
    'agenc mission pull 3f2a',
    'agenc mission pull 3f2a --squash',
    'agenc mission pull 3f2a --rebase --onto main --into ~/src/app',
  ],
  async run(context, { mission: word, json, ...input }) {
    const way = wayOf(input)
    await withStore(context, async db => {
      const picker = { title: 'Pull the work of a mission' }
      const mission = await chooseMission(context, db, word, picker, { removed: true })
      // Ctrl-C also reaches git. What it then leaves must be put back first.
      const pulled = await withHelpOfClaude(context, db, mission, input.ask, now =>
        interruptible(() => pullWork(context, db, now, { ...input, way })),
      )
      if (json) return context.out.line(JSON.stringify({ id: mission.id, ...pulled }))
      context.out.line(describePull(mission, pulled))
      if (mission.removed_at === null)
        tell(context, `If the mission is finished: agenc mission done ${shortId(mission.id)}`)
    })
    return 0
  },
})

function wayOf(input: Input): Way | null {
  const ways = (['merge', 'rebase', 'squash'] as const).filter(way => input[way])
  const way = ways[0] ?? null
  if (ways.length > 1) throw usageError(`--${ways.join(' and --')} exclude each other`, 'Give one of them.')
  if (way === null && input.onto !== undefined)
    throw usageError('--onto needs --merge, --rebase or --squash', 'Say how the work is brought onto it.')
  if (input.message !== undefined && way !== 'merge' && way !== 'squash')
    throw usageError(
      '--message needs --merge or --squash',
      'Uncommitted work gets its message with --commit.',
    )
  if (input.as !== undefined && !isRefName(input.as))
    throw usageError(`${JSON.stringify(input.as)} cannot be the name of a branch`, 'Choose another name.')
  if (way !== null && input.as !== undefined)
    throw usageError('--as names a branch of its own', `Leave it out with --${way}.`)
  if (way !== null && input.force)
    throw usageError('--force is only for a branch of the same name', `Leave it out with --${way}.`)
  return way
}
