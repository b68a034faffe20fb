import type { Database } from 'better-sqlite3'
import type { MissionId } from '../mission-id.ts'

/** Whose word the message is for Claude: the user's own, or that of another agent. */
export type SentAs = 'user' | 'agent'

/**
 * `kept`: waits in the store until it can be delivered. `handed`: given to Claude, which has not confirmed it yet.
 * `queued`: Claude has it in its own queue. The others are final.
 */
export type MessageStatus = 'kept' | 'handed' | 'queued' | 'taken' | 'not_taken' | 'unconfirmed' | 'cancelled'

/** A message to a mission. */
export interface Message {
  id: number
  mission_id: MissionId
  at: string
  text: string
  sent_as: SentAs
  /** The mission whose Claude has sent it. Null if a person has. */
  from_id: MissionId | null
  /** 1 if the text may be a /command. */
  is_command: 0 | 1
  /** 1 if it may wait in the store until the mission can take it. */
  may_wait: 0 | 1
  status: MessageStatus
  /** Why it was not delivered. */
  reason: string | null
  /** The conversation, and the size of its transcript, when the message was handed over. */
  session_id: string | null
  from_byte: number | null
  /** What Claude said at the end of the turn that took it, and when that turn ended. */
  answer: string | null
  answered_at: string | null
}

export type NewMessage = Pick<
  Message,
  'mission_id' | 'text' | 'sent_as' | 'from_id' | 'is_command' | 'may_wait'
>
export type MessageChange = Partial<
  Pick<Message, 'status' | 'reason' | 'may_wait' | 'session_id' | 'from_byte' | 'answer' | 'answered_at'>
>

/** Returns the message's id. */
export function insertMessage(db: Database, message: NewMessage & { at: string }): number {
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO messages (mission_id, at, text, sent_as, from_id, is_command, may_wait)
       VALUES (@mission_id, @at, @text, @sent_as, @from_id, @is_command, @may_wait)`,
    )
    .run(message)
  return Number(lastInsertRowid)
}

export function getMessage(db: Database, id: number): Message | undefined {
  return db.prepare<[number], Message>('SELECT * FROM messages WHERE id = ?').get(id)
}

/** Changes the message only if it has one of these statuses. Returns whether it was changed. */
export function updateMessage(
  db: Database,
  id: number,
  from: readonly MessageStatus[],
  change: MessageChange,
): boolean {
  const columns = Object.keys(change).map(column => `${column} = @${column}`)
  const statuses = from.map(status => `'${status}'`)
  const { changes } = db
    .prepare(`UPDATE messages SET ${columns} WHERE id = @id AND status IN (${statuses})`)
    .run({ ...change, id })
  return changes === 1
}

/** The messages that have not reached their final status, oldest first. */
export function openMessages(db: Database, mission: MissionId): Message[] {
  return db
    .prepare<[MissionId], Message>(
      "SELECT * FROM messages WHERE mission_id = ? AND status IN ('kept', 'handed', 'queued') ORDER BY id",
    )
    .all(mission)
}

/** A message that has not been taken yet, in the form of the published JSON. */
export interface QueuedMessage {
  id: string
  text: string
  as: SentAs
  since: string
}

export function listAllQueued(db: Database): Map<MissionId, QueuedMessage[]> {
  const rows = db
    .prepare<[], Message>("SELECT * FROM messages WHERE status IN ('kept', 'handed', 'queued') ORDER BY id")
    .all()
  const queued = new Map<MissionId, QueuedMessage[]>()
  for (const { id, mission_id, text, sent_as, at } of rows) {
    const message = { id: String(id), text, as: sent_as, since: at }
    queued.set(mission_id, [...(queued.get(mission_id) ?? []), message])
  }
  return queued
}
