import { readyToSend, whyNoMessage, whyNotSendable } from '../claude/typed-prompt.ts'
import { readConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import { getMessage, type Message, openMessages, type SentAs } from '../db/messages.ts'
import { getMission, type MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { withStore } from '../db/with-store.ts'
import { AgencError, ExitCode, isCancelled } from '../errors.ts'
import { refuseUsersVoice } from '../mission/agent-rights.ts'
import { callerOf } from '../mission/calling-mission.ts'
import { type Following, untilChange } from '../mission/followers.ts'
import { statusNow } from '../mission/mission-status.ts'
import { missionService } from '../mission/open-service.ts'
import { WrapperLives } from '../mission/wrapper-lives.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { sendControlMessage } from './control-message.ts'

export interface SendWish {
  text: string
  as: SentAs
  /** The mission whose Claude sends it. Null if a person does. */
  from: MissionId | null
  /** The text is a /command. */
  isCommand: boolean
  /** Keep it in the store if it cannot be delivered now. */
  mayWait: boolean
  /** How long the mission may take to respond. */
  timeoutMs?: number
  signal?: AbortSignal
}

export interface SendOutcome {
  id: number
  outcome: 'taken' | 'queued' | 'not_taken' | 'unconfirmed'
  /** It waits in agenc's store, not in Claude's queue. */
  isKept: boolean
  reason: string | null
}

/** How long a wrapper may take to look at a message, and to deliver each one before it. */
const responseMs = 10_000
const deliveryMs = 8_000

/** Sends a message to a mission. Throws if no mission could take such a text, or if an agent may not send it. */
export async function sendMessage(
  context: Context,
  mission: MissionRecord,
  wish: SendWish,
): Promise<SendOutcome> {
  const text = readyToSend(wish.text)
  const refusal =
    wish.as === 'agent' ? whyNoMessage(text, wish.isCommand) : whyNotSendable(text, wish.isCommand)
  if (refusal !== null) throw new AgencError(...refusal)
  const config = await readConfig(context.paths)
  const { id, ahead } = await withStore(context, db => {
    const agent = callerOf(context, db)
    if (agent !== null) refuseUsersVoice(agent, mission, wish.as, config)
    return store(context, db, mission.id, { ...wish, text })
  })
  const timeoutMs = wish.timeoutMs ?? responseMs + deliveryMs * (ahead + 1)
  sendControlMessage(context.paths.mission(mission.id), { agenc: 'deliver' })
  try {
    const look = (db: Database | null) => outcomeNow(context, db, mission.id, id)
    const outcome = await untilChange(context, look, { timeoutMs, signal: wish.signal })
    return outcome ?? (await giveUp(context, mission.id, id))
  } catch (error) {
    if (isCancelled(error)) await cancelMessage(context, id)
    throw error
  }
}

/** A message that cannot be delivered is stored too, so that it has a number and is part of the history. */
function store(
  context: Context,
  db: Database,
  mission: MissionId,
  { text, as, from, isCommand, mayWait }: SendWish,
): { id: number; ahead: number } {
  const ahead = openMessages(db, mission).length
  const message = {
    mission_id: mission,
    text,
    sent_as: as,
    from_id: from,
    is_command: isCommand ? 1 : 0,
    may_wait: mayWait ? 1 : 0,
  } as const
  const id = missionService(context, db).write(writer =>
    writer.addMessage(message, ['message', { as, status: 'kept' }]),
  )
  return { id, ahead }
}

/** Undefined while the wrapper is at work. */
async function outcomeNow(
  context: Context,
  db: Database | null,
  mission: MissionId,
  id: number,
): Promise<SendOutcome | undefined> {
  const message = db ? getMessage(db, id) : undefined
  const record = db ? getMission(db, mission) : undefined
  if (message === undefined || record === undefined)
    throw new AgencError(`${shortId(mission)} was deleted, with its messages`)
  const known = outcomeOf(message)
  if (known !== null) return known
  const isRunning = statusNow(context, record) === 'running'
  if (isRunning && record.claude_pid !== null) return undefined
  return settleWithoutClaude(
    context,
    mission,
    message,
    isRunning ? 'it is still starting' : 'it is not running',
  )
}

function outcomeOf({ id, status, reason, may_wait }: Message): SendOutcome | null {
  switch (status) {
    case 'handed':
      return null
    case 'kept':
      return may_wait === 1 && reason !== null ? { id, outcome: 'queued', isKept: true, reason } : null
    case 'cancelled':
      return { id, outcome: 'not_taken', isKept: false, reason: reason ?? 'it was taken back' }
    default:
      return { id, outcome: status, isKept: false, reason }
  }
}

/** No Claude runs that could take the message. A message that was on its way is settled at the next start. */
async function settleWithoutClaude(
  context: Context,
  mission: MissionId,
  { id, may_wait }: Message,
  reason: string,
): Promise<SendOutcome> {
  if (may_wait === 1) return { id, outcome: 'queued', isKept: true, reason }
  return settle(context, mission, id, { kept: reason, handed: 'it ended while the message was on its way' })
}

/** The wrapper did not respond. It must not deliver later what this command has given up. */
async function giveUp(context: Context, mission: MissionId, id: number): Promise<SendOutcome> {
  const reason = `it does not respond; see its log: ${context.paths.mission(mission).wrapperLog}`
  return settle(context, mission, id, { kept: reason, handed: reason })
}

async function settle(
  context: Context,
  mission: MissionId,
  id: number,
  reasons: { kept: string; handed: string },
): Promise<SendOutcome> {
  return withStore(context, db => {
    const settled = missionService(context, db).write(writer => {
      const message = getMessage(db, id)
      if (message === undefined) throw new AgencError(`${shortId(mission)} was deleted, with its messages`)
      if (message.status === 'kept' && message.may_wait === 0)
        writer.changeMessage(mission, id, ['kept'], { status: 'not_taken', reason: reasons.kept })
      writer.changeMessage(mission, id, ['handed'], { status: 'unconfirmed', reason: reasons.handed })
      return getMessage(db, id)!
    })
    return outcomeOf(settled) ?? { id, outcome: 'queued', isKept: true, reason: reasons.kept }
  })
}

/**
 * Takes a message back that Claude does not have yet. Resolves to the message afterwards, or to undefined if there is
 * none, or if it is for another mission.
 */
export async function cancelMessage(
  context: Context,
  id: number,
  mission?: MissionId,
): Promise<Message | undefined> {
  return withStore(context, db => {
    const message = getMessage(db, id)
    if (message === undefined || message.mission_id !== (mission ?? message.mission_id)) return undefined
    const reason = 'it was taken back'
    missionService(context, db).write(writer =>
      writer.changeMessage(message.mission_id, id, ['kept'], { status: 'cancelled', reason }, [
        'message',
        { id, status: 'cancelled' },
      ]),
    )
    return getMessage(db, id)
  })
}

/**
 * Waits for the end of the turn that took a message, and resolves to what Claude said last in it. Throws if there will be
 * no such turn, or if the time runs out. With `mayBeKept`, a mission that does not run is waited for.
 */
export async function untilAnswered(
  context: Context,
  mission: MissionId,
  id: number,
  { mayBeKept = false, ...following }: Following & { mayBeKept?: boolean } = {},
): Promise<string | null> {
  let lives: WrapperLives | undefined
  const look = (db: Database | null, wake: () => void): { answer: string | null } | undefined => {
    lives ??= new WrapperLives(context, wake)
    const message = db ? getMessage(db, id) : undefined
    const record = db ? getMission(db, mission) : undefined
    if (message === undefined || record === undefined) throw noAnswer(mission, 'it was deleted')
    const { status, answer, answered_at, reason } = message
    if (status === 'not_taken' || status === 'cancelled' || status === 'unconfirmed')
      throw noAnswer(mission, reason ?? 'the message was not taken')
    if (status === 'taken' && answered_at !== null) return { answer }
    if (lives.statusesOf([record])[0] === 'running') return undefined
    if (status === 'taken')
      throw noAnswer(
        mission,
        'it ended before the end of the turn',
        `See how with: agenc mission show ${shortId(mission)}`,
      )
    if (mayBeKept) return undefined
    throw noAnswer(
      mission,
      'it ended before it took the message, which is kept until it runs again',
      `Take it back with: agenc mission send --cancel ${id}`,
    )
  }
  try {
    const answered = await untilChange(context, look, following)
    if (answered !== undefined) return answered.answer
  } finally {
    lives?.close()
  }
  throw new AgencError(
    `${shortId(mission)} has not answered in time`,
    `The message stays. Wait longer with: agenc mission wait ${shortId(mission)}`,
    ExitCode.timeRanOut,
  )
}

function noAnswer(mission: MissionId, reason: string, hint?: string): AgencError {
  return new AgencError(`${shortId(mission)} will not answer: ${reason}`, hint)
}
