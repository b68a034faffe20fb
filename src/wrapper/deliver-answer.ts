import { join } from 'node:path'
import type { Context } from '../context.ts'
import { type Approval, getApproval } from '../db/approvals.ts'
import { readStore } from '../db/with-store.ts'
import { AgencError } from '../errors.ts'
import { randomUuid } from '../io/random.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import type { Runner } from '../system/runner.ts'
import type { GivenAnswer } from './requests.ts'
import { tellWrapper } from './send-control-message.ts'
import { Bell } from './wakeup-fifo.ts'

const patienceMs = 5_000

/** Hands an answer to a mission's wrapper. Resolves to the request as it stands then, whoever has answered it. */
export async function deliverAnswer(
  context: Context,
  mission: MissionId,
  request: number,
  answer: GivenAnswer,
): Promise<Approval | undefined> {
  const { run } = context.paths.mission(mission)
  const bell = join(run, `answered-${randomUuid()}`)
  const isHeard = await ringsAfter(context.exec, bell, () =>
    tellWrapper(run, { agenc: 'answer', request, ...answer, bell }),
  )
  if (!isHeard) {
    const { wrapperLog } = context.paths.mission(mission)
    throw new AgencError(`${shortId(mission)} does not react`, `Its log may say why: ${wrapperLog}`)
  }
  return readStore(context, db => (db ? getApproval(db, request) : undefined))
}

async function ringsAfter(exec: Runner, path: string, work: () => void): Promise<boolean> {
  let onRing = () => {}
  const bell = new Bell(exec, path, () => onRing())
  bell.listen()
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<boolean>(resolve => {
      onRing = () => resolve(true)
      timer = setTimeout(() => resolve(false), patienceMs)
      work()
    })
  } finally {
    clearTimeout(timer)
    bell.close()
  }
}
