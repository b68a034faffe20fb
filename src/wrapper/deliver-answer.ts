import type { Context } from '../context.ts'
import { type Approval, getApproval } from '../db/approvals.ts'
import { readStore } from '../db/with-store.ts'
import { AgencError } from '../errors.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import type { Runner } from '../system/runner.ts'
import { WakeupFifo } from '../system/wakeup-fifo.ts'
import { newBell, sendControlMessage } from './control-message.ts'
import type { GivenAnswer } from './permission-requests.ts'

const patienceMs = 5_000

/** Hands an answer to a mission's wrapper. Resolves to the request afterwards, which may have got another answer first. */
export async function deliverAnswer(
  context: Context,
  mission: MissionId,
  request: number,
  answer: GivenAnswer,
): Promise<Approval | undefined> {
  const paths = context.paths.mission(mission)
  const bell = newBell(paths.run)
  const isDone = await isWokenUpAfter(context.exec, bell, () =>
    sendControlMessage(paths, { agenc: 'answer', request, ...answer, bell }),
  )
  if (!isDone)
    throw new AgencError(`${shortId(mission)} does not respond`, `See its log: ${paths.wrapperLog}`)
  return readStore(context, db => (db ? getApproval(db, request) : undefined))
}

async function isWokenUpAfter(exec: Runner, path: string, work: () => void): Promise<boolean> {
  const fifo = new WakeupFifo(exec, path)
  fifo.listen()
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<boolean>(resolve => {
      fifo.onWakeup = () => resolve(true)
      timer = setTimeout(() => resolve(false), patienceMs)
      work()
    })
  } finally {
    clearTimeout(timer)
    fifo.close()
  }
}
