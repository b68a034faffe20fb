import type { Context } from '../context.ts'
import { getMission, type MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError } from '../errors.ts'
import { type Help, helpIn } from '../git-work/help-of-claude.ts'
import { callerOf } from '../mission/calling-mission.ts'
import { statusNow } from '../mission/mission-status.ts'
import { missionTitle } from '../mission/tell-done.ts'
import { shortId } from '../mission-id.ts'
import { interruptible } from '../system/signals.ts'
import { sendMessage, untilAnswered } from './send-message.ts'

/** Does the work. If Claude can put the problem right and the user wants that, it is asked once, and the work done again. */
export async function withHelpOfClaude<T>(
  context: Context,
  db: Database,
  mission: MissionRecord,
  isWanted: boolean | undefined,
  work: (mission: MissionRecord) => Promise<T>,
): Promise<T> {
  try {
    return await work(mission)
  } catch (error) {
    const help = isWanted ? helpIn(error) : null
    if (help === null) throw error
    await ask(context, db, mission, help, error as AgencError)
    return work(getMission(db, mission.id) ?? mission).catch(left => {
      throw helpIn(left) === null ? left : stillWrong(mission, left)
    })
  }
}

/** The hint of the error would offer to ask Claude again. */
function stillWrong({ id }: MissionRecord, { message, exitCode }: AgencError): AgencError {
  return new AgencError(
    `${message}, after its Claude was asked`,
    `Read its answer with 'agenc mission print --last ${shortId(id)}', or go there with 'agenc mission focus ${shortId(id)}'.`,
    exitCode,
  )
}

async function ask(
  context: Context,
  db: Database,
  mission: MissionRecord,
  { request, prepare }: Help,
  problem: AgencError,
): Promise<void> {
  const title = missionTitle(mission)
  if (statusNow(context, mission) !== 'running')
    throw new AgencError(
      `${problem.message}, and it is not running, so it cannot be asked`,
      `Start it with: agenc mission resume ${shortId(mission.id)}`,
    )
  await prepare?.()
  const caller = callerOf(context, db)
  await interruptible(async signal => {
    const { id, outcome, reason } = await sendMessage(context, mission, {
      text: request,
      as: caller === null ? 'user' : 'agent',
      from: caller?.id ?? null,
      isCommand: false,
      mayWait: false,
      signal,
    })
    if (outcome === 'not_taken' || outcome === 'unconfirmed')
      throw new AgencError(
        `${problem.message}, and it could not be asked: ${reason}`,
        `Go there with: agenc mission focus ${shortId(mission.id)}`,
      )
    context.err.line(`${problem.message}.`)
    context.err.line(`Asked ${title} to put that right. Waiting until its turn has ended …`)
    await untilAnswered(context, mission.id, id, { signal })
  })
}
