import { readFileSync } from 'node:fs'
import { type Approve, approveModes } from '../config/approve-modes.ts'
import type { MissionChange, MissionRecord } from '../db/missions.ts'
import { writeFileAtomically } from '../io/files.ts'
import { isObject } from '../io/json.ts'
import type { Paths } from '../paths.ts'
import type { MissionService, Subscriber } from './service.ts'

/** The columns that neither the mission's directory nor its processes can tell. */
const lasting = [
  'name',
  'about',
  'repo',
  'parent_id',
  'agent_repos',
  'created_at',
  'archived_at',
  'setup_pending',
  'permission_mode',
  'approve',
  'model',
  'may_answer',
  'session_id',
  'session_begun',
  'forked_session_id',
  'transcript_path',
  'dir',
  'copy_pending',
  'removed_at',
  'branch',
  'base_ref',
  'base_commit',
  'base_at',
  'first_port',
  'pr_number',
  'pr_url',
  'headless',
  'headless_limits',
] as const satisfies readonly (keyof MissionRecord)[]

export type LastingColumns = Pick<MissionRecord, (typeof lasting)[number]>

/** Keeps a copy of these columns next to each mission, from which a lost store can be rebuilt. */
export function recordFiles(paths: Paths, missions: MissionService): Subscriber {
  return ({ id, change, isRemoved }) => {
    if (isRemoved || !lasting.some(column => column in change)) return
    const record = missions.get(id)
    if (record) tryToWrite(paths.mission(id).record, pick(record))
  }
}

function pick(record: MissionRecord): MissionChange {
  return Object.fromEntries(lasting.map(column => [column, record[column]]))
}

/** The store has the change. A full disk must not make a command complain about its copy. */
function tryToWrite(path: string, columns: MissionChange): void {
  try {
    writeFileAtomically(path, `${JSON.stringify(columns, null, 2)}\n`)
  } catch {
    // The next change writes it again.
  }
}

export function readRecordFile(path: string): Partial<LastingColumns> {
  try {
    const columns: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (!isObject(columns)) return {}
    const known = lasting.filter(column => fits(column, columns[column]))
    return Object.fromEntries(known.map(column => [column, columns[column]]))
  } catch {
    return {}
  }
}

const flags: readonly string[] = ['setup_pending', 'session_begun', 'may_answer', 'headless']
const numbers: readonly string[] = ['first_port', 'pr_number']
const required: readonly string[] = ['created_at', 'session_id']

function fits(column: string, value: unknown): boolean {
  if (flags.includes(column)) return value === 0 || value === 1
  if (numbers.includes(column)) return value === null || Number.isSafeInteger(value)
  if (column === 'approve') return value === null || approveModes.includes(value as Approve)
  return typeof value === 'string' || (value === null && !required.includes(column))
}
