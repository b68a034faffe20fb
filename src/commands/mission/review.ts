import { defineCommand, jsonOption } from '../../cli/command.ts'
import { isInteractive } from '../../context.ts'
import { readStore } from '../../db/with-store.ts'
import { usageError } from '../../errors.ts'
import { reviewWork } from '../../git-work/review/review.ts'
import { chooseMission } from '../../mission/choose.ts'
import { partOptions, readPart } from './work-part.ts'

interface Input {
  mission?: string
  last?: boolean
  turn?: string
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Open what a mission has changed in $VISUAL or $EDITOR. Write comments on lines of their own, below the lines that they are about. agenc stores them as one message, with file, line and code, and prints its path.',
  arguments: [
    {
      name: 'mission',
      description: "its name or id (the start is enough), or '.' (default: pick from a list)",
    },
  ],
  options: [...partOptions, jsonOption],
  examples: ['agenc mission review 3f2a', 'agenc mission review fix-login --last'],
  async run(context, input) {
    const { env } = context
    const part = readPart(input)
    if (!isInteractive(context) && !env.VISUAL && !env.EDITOR)
      throw usageError(
        'mission review needs a terminal',
        'Or set EDITOR to an editor with a window of its own.',
      )
    const mission = await readStore(context, db =>
      chooseMission(context, db, input.mission, { title: "Review a mission's changes" }),
    )
    const { path, comments, reason } = await reviewWork(context, mission, part)
    if (input.json) context.out.line(JSON.stringify({ mission: mission.id, path, comments }))
    else if (path !== null) {
      context.err.line(`The comments (${comments.length}) are in this file, for you to pass on:`)
      context.out.line(path)
    } else context.err.line(reason)
    return 0
  },
})
