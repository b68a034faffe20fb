import type { Context } from '../../context.ts'
import { listLoops } from '../../db/loops.ts'
import type { MissionRecord } from '../../db/missions.ts'
import { listMissions } from '../../db/missions.ts'
import { listRepos } from '../../db/repos.ts'
import { readStore } from '../../db/with-store.ts'
import { cleanText } from '../../io/text.ts'
import { type Status, statusesOf } from '../../mission/mission-status.ts'
import { repoOrDirectory } from '../../mission/naming.ts'
import { shortId } from '../../mission-id.ts'
import { libraryPath } from '../../repo/library.ts'
import { displayRepo } from '../../repo/reference.ts'
import type { Candidate } from './candidates.ts'

/**
 * The missions with a fitting status, except those that `used` names already. Each is offered by its short id (its full
 * id, if two share a short one) and by its name, if that leads to it.
 */
export function missions(
  context: Context,
  used: readonly string[],
  fits: (status: Status) => boolean,
): Promise<Candidate[]> {
  return readStore(context, db => {
    const records = db ? listMissions(db, { archived: true }) : []
    const short = records.map(({ id }) => shortId(id))
    const isShared = (id: string) => short.indexOf(id) !== short.lastIndexOf(id)
    const usableName = usableNames(records)
    const namesOf = (record: MissionRecord) => [
      isShared(shortId(record.id)) ? record.id : shortId(record.id),
      ...usableName(record),
    ]
    const statuses = statusesOf(context, records)
    const offered = records
      .map((record, index) => ({ record, status: statuses[index]! }))
      .filter(({ status }) => fits(status))
      .map(({ record, status }) => ({ record, status, names: namesOf(record) }))
      .filter(({ names }) => !names.some(name => used.includes(name)))
    return [
      ...offered.map(({ record, status, names: [id] }) => ({
        value: id!,
        description: describe(record, status),
      })),
      ...offered.flatMap(({ record, status, names: [id, name] }) =>
        name === undefined
          ? []
          : [{ value: name, description: `${id} ${describe({ ...record, name: null }, status)}` }],
      ),
    ]
  })
}

/** Gives a mission's name, or nothing if the name does not lead to that mission alone. */
function usableNames(records: readonly MissionRecord[]): (record: MissionRecord) => string[] {
  const nameOf = (record: MissionRecord) => cleanText(record.name ?? '')
  const counts = new Map<string, number>()
  for (const record of records) counts.set(nameOf(record), (counts.get(nameOf(record)) ?? 0) + 1)
  return record => {
    const name = nameOf(record)
    if (name === '' || name === '.' || name.startsWith('-') || counts.get(name) !== 1) return []
    const mayBeId = /^[0-9a-f-]{4,}$/i.test(name)
    return mayBeId && records.some(({ id }) => id.startsWith(name.toLowerCase())) ? [] : [name]
  }
}

function describe(record: MissionRecord, status: Status): string {
  const { name, state, waiting_for } = record
  const activity = status === 'running' ? (state ?? 'starting') : status
  const what = activity === 'waiting' && waiting_for ? `waiting: ${waiting_for}` : activity
  return [repoOrDirectory(record), name ? cleanText(name) : '', `[${what}]`].filter(Boolean).join(' ')
}

export function repos(context: Context): Promise<Candidate[]> {
  return readStore(context, db => {
    return (db ? listRepos(db) : []).map(({ id, trusted }) => ({
      value: displayRepo(id),
      description: trusted === 1 ? 'trusted' : 'not trusted',
    }))
  })
}

export function loops(context: Context): Promise<Candidate[]> {
  return readStore(context, db =>
    (db ? listLoops(db) : []).map(({ id, status }) => ({ value: id.slice(0, 8), description: status })),
  )
}

export function repoIds(context: Context): Promise<string[]> {
  return readStore(context, db => (db ? listRepos(db).map(({ id }) => id) : []))
}

/** The branches of the repo that the user named. */
export async function branches(context: Context, word: string | undefined): Promise<Candidate[]> {
  if (word === undefined) return []
  const { resolveRepo } = await import('../../repo/choose-repo.ts')
  const { branchNames } = await import('../../repo/start-point.ts')
  const id = resolveRepo(word, await repoIds(context))
  const { exec, env, paths } = context
  const names = branchNames({ exec, env, id, path: libraryPath(paths.repos, id) })
  return names.map(name => ({ value: name, description: 'branch' }))
}
