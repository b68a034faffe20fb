import type { Context } from '../context.ts'
import { type Approval, getApproval } from '../db/approvals.ts'
import type { Database } from '../db/open-store.ts'
import { readStore } from '../db/with-store.ts'
import { AgencError } from '../errors.ts'
import { untilChange } from '../mission/followers.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import type { Runner } from '../system/runner.ts'
import { WakeupFifo } from '../system/wakeup-fifo.ts'
import { newBell, sendControlMessage, verdicts } from './control-message.ts'
import type { GivenAnswer } from './permission-requests.ts'

const patienceMs = 5_000

export interface Delivered {
  /** False if the request has got another answer, or can only be answered in its dialog. */
  isTaken: boolean
  /** The request afterwards. */
  stored: Approval | undefined
}

/** Hands an answer to a mission's wrapper. */
export async function deliverAnswer(
  context: Context,
  mission: MissionId,
  request: number,
  answer: GivenAnswer,
): Promise<Delivered> {
  const paths = context.paths.mission(mission)
  const bell = newBell(paths.run)
  const verdict = await wordAfter(context.exec, bell, () =>
    sendControlMessage(paths, { agenc: 'answer', request, ...answer, bell }),
  )
  if (verdict === null)
    throw new AgencError(`${shortId(mission)} does not respond`, `See its log: ${paths.wrapperLog}`)
  const stored = await readStore(context, db => (db ? getApproval(db, request) : undefined))
  // The wrapper of an older agenc says only that it is done.
  const isRecorded = stored?.decided_by === 'answer' && stored.decision === (answer.allow ? 'allow' : 'deny')
  return { isTaken: isRecorded && verdict !== verdicts.refused, stored }
}

/** Claude's transcript shows whose answer it took, a moment after the dialog has closed. */
const certainMs = 3_000

/** Waits until it is certain whether Claude took this answer, or one that was given in the dialog at the same moment. */
export async function untilCertain(context: Context, request: number): Promise<Approval | undefined> {
  const look = (db: Database | null) => (db ? getApproval(db, request) : undefined)
  const isCertain = (stored: Approval | undefined) => (stored?.confirmed === 1 ? stored : undefined)
  const certain = await untilChange(context, db => isCertain(look(db)), { timeoutMs: certainMs })
  return certain ?? readStore(context, look)
}

/** Resolves to null if no word comes in time. */
async function wordAfter(exec: Runner, path: string, work: () => void): Promise<string | null> {
  const fifo = new WakeupFifo(exec, path)
  fifo.listen()
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<string | null>(resolve => {
      fifo.onWakeup = resolve
      timer = setTimeout(() => resolve(null), patienceMs)
      work()
    })
  } finally {
    clearTimeout(timer)
    fifo.close()
  }
}
