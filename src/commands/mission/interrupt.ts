import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import { readStore } from '../../db/with-store.ts'
import { AgencError } from '../../errors.ts'
import { chooseMission } from '../../mission/choose.ts'
import { missionTitle, tell } from '../../mission/tell-done.ts'
import { shortId } from '../../mission-id.ts'
import { interruptible } from '../../system/signals.ts'
import { interruptMission } from '../../wrapper/interrupt-mission.ts'

export default defineCommand<{ mission?: string; json?: boolean }>({
  description:
    "End a mission's turn, as Esc does, and return when Claude is idle. The mission goes on. Messages in Claude's own queue go out at once.",
  arguments: [{ name: 'mission', description: "its name or id (the start is enough), or '.'" }],
  options: [quietOption, jsonOption],
  examples: ['agenc mission interrupt 3f2a'],
  async run(context, { mission: word, json }) {
    const mission = await readStore(context, db =>
      chooseMission(context, db, word, { title: 'Interrupt a mission', order: [['running']] }),
    )
    const outcome = await interruptible(signal => interruptMission(context, mission.id, signal))
    if (outcome === 'waiting')
      throw new AgencError(
        `${shortId(mission.id)} waits for an answer, and Esc would be one`,
        `Answer it with 'agenc mission answer ${shortId(mission.id)}', or stop it with 'agenc mission stop'.`,
      )
    if (json)
      context.out.line(
        JSON.stringify({ id: mission.id, interrupted: outcome !== 'idle', state: stateAfter[outcome] }),
      )
    else if (outcome === 'idle') context.err.line(`${missionTitle(mission)} has no turn to interrupt.`)
    else if (outcome === 'next')
      tell(context, `Interrupted: ${missionTitle(mission)}. Its queued messages have gone out.`)
    else tell(context, `Interrupted: ${missionTitle(mission)}.`)
    return 0
  },
})

const stateAfter = { idle: 'idle', interrupted: 'idle', next: 'busy' } as const
