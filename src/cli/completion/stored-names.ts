import type { Context } from '../../context.ts'
import type { MissionRecord } from '../../db/missions.ts'
import { listMissions } from '../../db/missions.ts'
import { listRepos } from '../../db/repos.ts'
import { readStore } from '../../db/with-store.ts'
import { cleanText } from '../../io/text.ts'
import { type Status, statusesOf } from '../../mission/mission-status.ts'
import { shortId } from '../../mission-id.ts'
import { displayRepo } from '../../repo/reference.ts'
import type { Candidate } from './candidates.ts'

/** The missions with a fitting status, by short id; by full id where two share a short one. */
export function missions(context: Context, fits: (status: Status) => boolean): Promise<Candidate[]> {
  return readStore(context, db => {
    const records = db ? listMissions(db, { archived: true }) : []
    const short = records.map(({ id }) => shortId(id))
    const isShared = (id: string) => short.indexOf(id) !== short.lastIndexOf(id)
    const statuses = statusesOf(context, records)
    return records
      .map((record, index) => ({ record, status: statuses[index]! }))
      .filter(({ status }) => fits(status))
      .map(({ record, status }) => ({
        value: isShared(shortId(record.id)) ? record.id : shortId(record.id),
        description: describe(record, status),
      }))
  })
}

function describe({ repo, name, state, waiting_for }: MissionRecord, status: Status): string {
  const activity = status === 'running' ? (state ?? 'starting') : status
  const what = activity === 'waiting' && waiting_for ? `waiting: ${waiting_for}` : activity
  return [repo ? displayRepo(repo) : '(blank)', name ? cleanText(name) : '', `[${what}]`]
    .filter(Boolean)
    .join(' ')
}

export function repos(context: Context): Promise<Candidate[]> {
  return readStore(context, db => {
    return (db ? listRepos(db) : []).map(({ id, trusted }) => ({
      value: displayRepo(id),
      description: trusted === 1 ? 'trusted' : 'not trusted',
    }))
  })
}

export function repoIds(context: Context): Promise<string[]> {
  return readStore(context, db => (db ? listRepos(db).map(({ id }) => id) : []))
}
