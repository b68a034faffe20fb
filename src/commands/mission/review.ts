import { readFileSync } from 'node:fs'
import { defineCommand, jsonOption } from '../../cli/command.ts'
import { type Context, isInteractive } from '../../context.ts'
import type { MissionRecord } from '../../db/missions.ts'
import { readStore } from '../../db/with-store.ts'
import { isAgencError, usageError } from '../../errors.ts'
import { reviewWork } from '../../git-work/review/review.ts'
import { callerOf } from '../../mission/calling-mission.ts'
import { chooseMission } from '../../mission/choose.ts'
import { statusNow } from '../../mission/mission-status.ts'
import { sendMessage } from '../../wrapper/send-message.ts'
import { partOptions, readPart } from './work-part.ts'

interface Input {
  mission?: string
  last?: boolean
  turn?: string
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Open what a mission has changed in $VISUAL or $EDITOR. Write comments on lines of their own, below the lines that they are about. agenc makes one message of them, with file, line and code, and sends it to the mission if that runs. The message is also in a file, whose path is printed.',
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
    const sent = path === null ? null : await sendReview(context, mission, path)
    if (input.json) context.out.line(JSON.stringify({ mission: mission.id, path, comments, sent }))
    else if (path !== null) {
      const where = sent === null ? 'are in this file, for you to pass on' : words[sent.outcome]
      context.err.line(`The comments (${comments.length}) ${where}${sent?.reason ? `: ${sent.reason}` : ''}:`)
      context.out.line(path)
    } else context.err.line(reason)
    return 0
  },
})

const words = {
  taken: 'were sent, and are also in this file',
  queued: 'are queued for the mission, and are also in this file',
  not_taken: 'could not be sent, and are in this file, for you to pass on',
  unconfirmed: 'may not have been sent, and are in this file',
}

/** Null if the mission does not run. Its Claude may be busy or wait for an answer: the message is kept until then. */
async function sendReview(context: Context, mission: MissionRecord, path: string) {
  if (statusNow(context, mission) !== 'running') return null
  const caller = await readStore(context, db => db && callerOf(context, db))
  const wish = {
    as: caller === null ? 'user' : 'agent',
    from: caller?.id ?? null,
    isCommand: false,
    mayWait: true,
  } as const
  try {
    const sent = await sendMessage(context, mission, { ...wish, text: readFileSync(path, 'utf8') })
    const { id, outcome, isKept: kept, reason } = sent
    return { id: String(id), outcome, kept, reason }
  } catch (error) {
    if (!isAgencError(error)) throw error
    return { id: null, outcome: 'not_taken', kept: false, reason: error.message } as const
  }
}
