import type { Database } from 'better-sqlite3'
import type { MissionId } from '../mission-id.ts'

/** A permission request that still waits for its answer, as scripts see it. */
export interface PendingRequest {
  id: string
  tool: string
  input: unknown
  since: string
}

export type ApprovalDecision = 'allow' | 'deny' | 'ask'
export type DecidedBy = 'rule' | 'user' | 'answer' | 'timeout'

/** One permission request, from the moment it was made. */
export interface Approval {
  id: number
  mission_id: MissionId
  at: string
  tool: string
  input: unknown
  decision: ApprovalDecision
  /** The rule that decided, as it stood in the settings then. */
  rule: unknown
  /** null: it still waits. */
  decided_by: DecidedBy | null
  /** 0: so we answered, but whether Claude took it from us or from the dialog is not known (yet). */
  confirmed: 0 | 1
  latency_ms: number | null
}

export interface Outcome {
  decision: ApprovalDecision
  by: DecidedBy
  rule?: unknown
  /** Left out: it is. */
  isConfirmed?: boolean
  latencyMs: number
}

/** Returns the request's id. */
export function insertRequest(
  db: Database,
  request: Pick<Approval, 'mission_id' | 'at' | 'tool' | 'input'>,
): number {
  const { lastInsertRowid } = db
    .prepare('INSERT INTO approvals (mission_id, at, tool, input) VALUES (@mission_id, @at, @tool, @input)')
    .run({ ...request, input: JSON.stringify(request.input) })
  return Number(lastInsertRowid)
}

/** The first answer stays. */
export function settleRequest(db: Database, id: number, outcome: Outcome): void {
  const { decision, by, rule, latencyMs, isConfirmed = true } = outcome
  const confirmed = isConfirmed ? 1 : 0
  db.prepare(
    `UPDATE approvals SET decision = @decision, decided_by = @by, rule = @rule, latency_ms = @latencyMs,
       confirmed = @confirmed
     WHERE id = @id AND decided_by IS NULL`,
  ).run({ id, decision, by, rule: rule == null ? null : JSON.stringify(rule), latencyMs, confirmed })
}

/** The answer that was settled is the one that counted. */
export function confirmRequest(db: Database, id: number): void {
  db.prepare('UPDATE approvals SET confirmed = 1 WHERE id = ?').run(id)
}

/** The user was quicker than the answer that was settled. */
export function correctRequest(db: Database, id: number, decision: ApprovalDecision): void {
  db.prepare(
    "UPDATE approvals SET decision = ?, decided_by = 'user', rule = NULL, confirmed = 1 WHERE id = ?",
  ).run(decision, id)
}

/** Their wrapper is gone: nobody will answer them any more. */
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

/** What waits for an answer, oldest first. */
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

type StoredApproval = Omit<Approval, 'input' | 'rule'> & { input: string; rule: string | null }

function read({ input, rule, ...stored }: StoredApproval): Approval {
  return { ...stored, input: JSON.parse(input), rule: rule === null ? null : JSON.parse(rule) }
}
