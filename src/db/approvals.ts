import type { Database } from 'better-sqlite3'
import type { MissionId } from '../mission-id.ts'

/** A permission request without an answer yet, in the form of the published JSON. */
export interface PendingRequest {
  id: string
  tool: string
  input: unknown
  since: string
}

export type ApprovalDecision = 'allow' | 'deny' | 'ask'
export type DecidedBy = 'rule' | 'user' | 'answer' | 'timeout'

/** One permission request. The row is written when the request arrives, and completed when it is answered. */
export interface Approval {
  id: number
  mission_id: MissionId
  at: string
  tool: string
  input: unknown
  decision: ApprovalDecision
  /** The rule that decided, copied from the settings as they were at that time. */
  rule: unknown
  /** Null while the request is open. */
  decided_by: DecidedBy | null
  /** 0 if agenc has answered, but the user may have answered first in Claude's dialog. */
  confirmed: 0 | 1
  latency_ms: number | null
  /** 1 while it is open and a rule is about to answer it. */
  handled: 0 | 1
  /** What came with the answer. Null if nothing did. */
  answer: AnswerDetails | null
}

/** What an answer says beyond its decision. Secrets are masked. */
export interface AnswerDetails {
  answers?: { question: string; answer: string | null; notes: string | null }[]
  mode?: string
  message?: string
}

export interface Outcome {
  decision: ApprovalDecision
  by: DecidedBy
  rule?: unknown
  /** Defaults to true. */
  isConfirmed?: boolean
  latencyMs: number
  answer?: AnswerDetails | null
}

/** Returns the request's id. */
export function insertRequest(
  db: Database,
  request: Pick<Approval, 'mission_id' | 'at' | 'tool' | 'input'> & Partial<Pick<Approval, 'handled'>>,
): number {
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO approvals (mission_id, at, tool, input, handled)
       VALUES (@mission_id, @at, @tool, @input, @handled)`,
    )
    .run({ handled: 0, ...request, input: JSON.stringify(request.input) })
  return Number(lastInsertRowid)
}

/** Records the answer, unless the request already has one. Returns whether it was recorded. */
export function settleRequest(db: Database, id: number, outcome: Outcome): boolean {
  const { decision, by, rule, latencyMs, isConfirmed = true, answer } = outcome
  const confirmed = isConfirmed ? 1 : 0
  const { changes } = db
    .prepare(
      `UPDATE approvals SET decision = @decision, decided_by = @by, rule = @rule, latency_ms = @latencyMs,
       confirmed = @confirmed, answer = @answer
     WHERE id = @id AND decided_by IS NULL`,
    )
    .run({ id, decision, by, rule: jsonOrNull(rule), latencyMs, confirmed, answer: jsonOrNull(answer) })
  return changes === 1
}

/** Records that Claude took the answer that was settled. */
export function confirmRequest(db: Database, id: number): void {
  db.prepare('UPDATE approvals SET confirmed = 1 WHERE id = ?').run(id)
}

/** Replaces the settled answer with the one that the user gave first, in Claude's dialog. */
export function correctRequest(
  db: Database,
  id: number,
  decision: ApprovalDecision,
  answer: AnswerDetails | null,
): void {
  db.prepare(
    "UPDATE approvals SET decision = ?, decided_by = 'user', rule = NULL, confirmed = 1, answer = ? WHERE id = ?",
  ).run(decision, jsonOrNull(answer), id)
}

function jsonOrNull(value: unknown): string | null {
  return value == null ? null : JSON.stringify(value)
}

/** Closes the open requests of a mission whose wrapper is gone. */
export function abandonRequests(db: Database, mission: MissionId): void {
  db.prepare("UPDATE approvals SET decided_by = 'timeout' WHERE mission_id = ? AND decided_by IS NULL").run(
    mission,
  )
}

export interface ApprovalFilter {
  mission?: MissionId
  tool?: string
  decision?: ApprovalDecision
  /** ISO 8601. */
  since?: string
}

/** Oldest first. */
export function listApprovals(db: Database, filter: ApprovalFilter = {}): Approval[] {
  const conditions = [
    ...(filter.mission ? ['mission_id = @mission'] : []),
    ...(filter.tool ? ['tool = @tool'] : []),
    ...(filter.decision ? ['decision = @decision'] : []),
    ...(filter.since ? ['at >= @since'] : []),
  ]
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
  return db
    .prepare<ApprovalFilter, StoredApproval>(`SELECT * FROM approvals ${where} ORDER BY id`)
    .all(filter)
    .map(read)
}

export function getApproval(db: Database, id: number): Approval | undefined {
  const stored = db.prepare<[number], StoredApproval>('SELECT * FROM approvals WHERE id = ?').get(id)
  return stored && read(stored)
}

/** Records that no rule will answer the request, so that the user must. */
export function leaveToUser(db: Database, id: number): void {
  db.prepare('UPDATE approvals SET handled = 0 WHERE id = ?').run(id)
}

/** Whether the mission has an open request that no rule is about to answer. */
export function needsAnswer(db: Database, mission: MissionId): boolean {
  const found = db.prepare<[MissionId], 1>(
    'SELECT 1 FROM approvals WHERE mission_id = ? AND decided_by IS NULL AND handled = 0 LIMIT 1',
  )
  return found.get(mission) !== undefined
}

/** The mission's last request. */
export function latestApproval(db: Database, mission: MissionId): Approval | undefined {
  const stored = db
    .prepare<[MissionId], StoredApproval>(
      'SELECT * FROM approvals WHERE mission_id = ? ORDER BY id DESC LIMIT 1',
    )
    .get(mission)
  return stored && read(stored)
}

/** The open requests of each mission, oldest first. */
export function listAllPending(db: Database): Map<MissionId, PendingRequest[]> {
  const pending = new Map<MissionId, PendingRequest[]>()
  const rows = db
    .prepare<[], StoredApproval>('SELECT * FROM approvals WHERE decided_by IS NULL ORDER BY id')
    .all()
  for (const { id, mission_id, tool, input, at } of rows.map(read)) {
    const request = { id: String(id), tool, input, since: at }
    pending.set(mission_id, [...(pending.get(mission_id) ?? []), request])
  }
  return pending
}

type StoredApproval = Omit<Approval, 'input' | 'rule' | 'answer'> & {
  input: string
  rule: string | null
  answer: string | null
}

function read({ input, rule, answer, ...stored }: StoredApproval): Approval {
  return {
    ...stored,
    input: JSON.parse(input),
    rule: rule === null ? null : JSON.parse(rule),
    answer: answer === null ? null : JSON.parse(answer),
  }
}
