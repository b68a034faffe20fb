import { type Holds, hold, readHolds, releaseHold } from '../approvals/hold.ts'
import { defineCommand, jsonOption } from '../cli/command.ts'
import type { Context } from '../context.ts'
import { readStore } from '../db/with-store.ts'
import { usageError } from '../errors.ts'
import { chooseMission } from '../mission/choose.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { showHolds } from '../tmux/show-holds.ts'

interface Input {
  mission?: string
  release?: boolean
  toggle?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Pause automatic approvals, including those in progress. You are asked instead. Deny rules still apply.',
  arguments: [
    { name: 'mission', description: "its name or id (the start is enough), or '.' (default: all missions)" },
  ],
  options: [
    { flags: '--release', description: 'resume automatic approvals' },
    { flags: '--toggle', description: 'resume automatic approvals if they are paused, otherwise pause them' },
    jsonOption,
  ],
  examples: ['agenc hold', 'agenc hold 3f2a', 'agenc hold --release'],
  async run(context, { mission: word, release, toggle, json }) {
    const { paths, now } = context
    if (release && toggle)
      throw usageError('--release and --toggle contradict each other', 'Use one of them.')
    const mission = word === undefined ? null : await missionIdOf(context, word)
    const isReleased = toggle ? isPaused(readHolds(paths), mission) : (release ?? false)
    if (isReleased) releaseHold(paths, mission)
    else hold(paths, mission, now())
    const { all, missions } = readHolds(paths)
    showHolds(context, { all: all !== null, missions })
    if (json) context.out.line(JSON.stringify({ held: all !== null, since: all, missions }))
    else context.err.line(outcome(mission, isReleased, all !== null))
    return 0
  },
})

function isPaused({ all, missions }: Holds, mission: MissionId | null): boolean {
  return mission === null ? all !== null : missions.includes(mission)
}

async function missionIdOf(context: Context, word: string): Promise<MissionId> {
  return readStore(context, async db => (await chooseMission(context, db, word)).id)
}

function outcome(mission: MissionId | null, isReleased: boolean, areAllHeld: boolean): string {
  const scope = mission === null ? 'all missions' : `mission ${shortId(mission)}`
  if (!isReleased)
    return `Automatic approvals are paused for ${scope}. Resume them with '${releaseCommand(mission)}'.`
  if (areAllHeld)
    return `Automatic approvals are still paused for all missions. Resume them with '${releaseCommand(null)}'.`
  return `Automatic approvals are on again for ${scope}. Requests that are already open still need you.`
}

function releaseCommand(mission: MissionId | null): string {
  return ['agenc hold --release', ...(mission === null ? [] : [shortId(mission)])].join(' ')
}
