import { defineCommand, jsonOption } from '../cli/command.ts'
import type { Context } from '../context.ts'
import { wasRemoved } from '../db/events.ts'
import { readStore } from '../db/with-store.ts'
import { usageError } from '../errors.ts'
import { clockTime } from '../io/relative-time.ts'
import { cleanText, padEnd } from '../io/text.ts'
import { chooseMission } from '../mission/choose.ts'
import { type EventJson, feedEvents } from '../mission/event-feed.ts'
import type { MissionJson } from '../mission/mission-json.ts'
import { stateWord } from '../mission/state-word.ts'
import { isMissionId, type MissionId, shortId } from '../mission-id.ts'
import { interruptible } from '../system/signals.ts'

interface Input {
  follow?: boolean
  since?: string
  mission?: string
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Print every change of the missions as a line: first each mission as it is, then the changes. Every event has a number. With --since, only the events after that number are printed, also those of missions that were deleted since.',
  options: [
    { flags: '-f, --follow', description: 'go on with each change as it happens' },
    {
      flags: '--since <number>',
      description: 'only events after this one, without the missions as they are',
    },
    { flags: '--mission <mission>', description: 'only this mission' },
    { ...jsonOption, description: 'print one JSON object per line' },
  ],
  examples: ['agenc events --follow', 'agenc events --since 1200 --json'],
  async run(context, { follow = false, since, mission: word, json }) {
    const number = since === undefined ? null : numberFrom(since)
    const mission = word === undefined ? null : await missionNamed(context, word)
    const print = json ? JSON.stringify : lineOf
    const feed = (signal: AbortSignal | null) =>
      feedEvents(context, { mission, since: number, follow: signal }, event => {
        context.out.line(print(event))
        return context.out.hasReader()
      })
    await (follow ? interruptible(feed) : feed(null))
    return 0
  },
})

function numberFrom(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number
  throw usageError(`--since ${JSON.stringify(text)} is not the number of an event`, 'Use 0 for all events.')
}

/** Also accepts the id of a mission that was deleted. */
function missionNamed(context: Context, word: string): Promise<MissionId> {
  return readStore(context, async db => {
    if (db && isMissionId(word) && wasRemoved(db, word)) return word
    return (await chooseMission(context, db, word, undefined, { removed: true })).id
  })
}

function lineOf(event: EventJson): string {
  const { id, at, mission_id, kind } = event
  const mission = mission_id === null ? '' : shortId(mission_id)
  return `${padEnd(String(id), 6)} ${clockTime(at)}  ${padEnd(mission, 8)}  ${cleanText(`${padEnd(kind, 10)}  ${wordsOf(event)}`)}`
}

function wordsOf({ kind, data }: EventJson): string {
  if (kind === 'mission') {
    const mission = data as unknown as MissionJson
    return `${stateWord(mission)}  ${mission.display}`
  }
  return Object.entries(data)
    .filter(([, value]) => value !== null && value !== false)
    .map(([key, value]) =>
      value === true ? key : `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    .join(' ')
}
