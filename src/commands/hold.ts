import { hold, readHolds, releaseHold } from '../approvals/hold.ts'
import { defineCommand, jsonOption } from '../cli/command.ts'
import type { Context } from '../context.ts'
import { readStore } from '../db/with-store.ts'
import { chooseMission } from '../mission/choose.ts'
import { type MissionId, shortId } from '../mission-id.ts'

interface Input {
  mission?: string
  release?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Pause automatic approvals, including those in progress. You are asked instead. Deny rules still apply.',
  arguments: [
    { name: 'mission', description: "its name or id (the start is enough), or '.' (default: all missions)" },
  ],
  options: [{ flags: '--release', description: 'resume automatic approvals' }, jsonOption],
  examples: ['agenc hold', 'agenc hold 3f2a', 'agenc hold --release'],
  async run(context, { mission: word, release, json }) {
    const { paths, now } = context
    const mission = word === undefined ? null : await missionIdOf(context, word)
    if (release) releaseHold(paths, mission)
    else hold(paths, mission, now())
    const { all, missions } = readHolds(paths)
    if (json) context.out.line(JSON.stringify({ held: all !== null, since: all, missions }))
    else context.err.line(outcome(mission, release ?? false, all !== null))
    return 0
  },
})

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
