import { defineCommand, jsonOption } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import type { MissionRecord } from '../../db/missions.ts'
import { readStore } from '../../db/with-store.ts'
import { usageError } from '../../errors.ts'
import { chooseMission } from '../../mission/choose.ts'
import {
  followConversation,
  lastMessageNow,
  type PrintWish,
  printConversation,
  tellNothing,
} from '../../mission/print-conversation.ts'
import { EntryWriter } from '../../mission/transcript-printer.ts'

interface Input {
  mission?: string
  last?: boolean
  tail?: string
  follow?: boolean
  raw?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Print the conversation of a mission: who said what, and one line for each use of a tool. On a terminal it is formatted; elsewhere it is plain text. With --follow, Ctrl-C ends it with exit code 130, and the end of the mission with 0.',
  arguments: [
    {
      name: 'mission',
      description: "its name or id (the start is enough), or '.' (default: pick from a list)",
    },
  ],
  options: [
    { flags: '--last', description: "only Claude's last message" },
    { flags: '--tail <n>', description: 'only the last n entries' },
    { flags: '-f, --follow', description: 'go on while the conversation grows, until the mission ends' },
    { flags: '--raw', description: "the lines of Claude's transcript as they are" },
    { ...jsonOption, description: 'print one JSON object per entry' },
  ],
  examples: [
    'agenc mission print 3f2a',
    'agenc mission print . --last',
    'agenc mission print 3f2a --tail 10 -f',
  ],
  async run(context, input) {
    const wish = readWish(input)
    const mission = await readStore(context, db =>
      chooseMission(
        context,
        db,
        input.mission,
        { title: 'Print the conversation of a mission' },
        { removed: true },
      ),
    )
    if (input.last) await printLast(context, mission, input)
    else if (input.follow) await followConversation(context, mission, wish)
    else await printConversation(context, mission, wish)
    return 0
  },
})

function readWish({ last, tail, follow, raw, json }: Input): PrintWish {
  if (last && (tail !== undefined || follow || raw))
    throw usageError('--last excludes --tail, --follow and --raw', 'Give one or the other.')
  if (raw && json) throw usageError('--raw and --json exclude each other', 'Give one or the other.')
  if (tail !== undefined && !/^\d{1,9}$/.test(tail))
    throw usageError(`--tail cannot be ${JSON.stringify(tail)}`, 'Give the number of entries.')
  return { form: raw ? 'raw' : json ? 'json' : 'text', tail: tail === undefined ? null : Number(tail) }
}

async function printLast(context: Context, mission: MissionRecord, { json }: Input): Promise<void> {
  const { out } = context
  const entry = lastMessageNow(context, mission)
  if (entry === null) tellNothing(context, mission)
  else if (json) await new EntryWriter({ out, text: null }).add(entry)
  else if (out.isTerminal) {
    const { renderMarkdown } = await import('../../io/markdown.ts')
    out.write(renderMarkdown(entry.text, out))
  } else out.write(entry.text.endsWith('\n') ? entry.text : `${entry.text}\n`)
}
