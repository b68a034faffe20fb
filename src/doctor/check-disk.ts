import type { Context } from '../context.ts'
import { readStore } from '../db/with-store.ts'
import { diskUse, formatBytes } from '../io/disk-size.ts'
import { shortId } from '../mission-id.ts'
import { type Finding, ok, warning } from './findings.ts'
import { addKeptMission, keptUnknown } from './rebuild-store.ts'

/** A user who has many large working copies does not wait longer for this line. */
const patienceMs = 1_500

/** What the library and the working copies take. A file that both have is counted for the library. */
export function checkDisk({ paths }: Context): Finding {
  const library = diskUse([paths.repos], patienceMs)
  const all = diskUse([paths.repos, paths.missions], patienceMs)
  const missions = Math.max(0, all.bytes - library.bytes)
  const shown = (bytes: number, isComplete: boolean) =>
    `${isComplete ? '' : 'more than '}${formatBytes(bytes)}`
  return ok(
    'disk',
    `the library uses ${shown(library.bytes, library.isComplete)}, missions ${shown(missions, all.isComplete)}`,
  )
}

/** Missions whose work is in the library, but which the store does not know: the store was lost. */
export async function checkKeptWork(context: Context): Promise<Finding[]> {
  const unknown = await readStore(context, db => (db ? keptUnknown(context, db) : [])).catch(() => [])
  return unknown.map(({ id, repo }) =>
    warning(
      'leftovers',
      `the library of ${repo} has work of mission ${shortId(id)}, which the store does not know`,
      `agenc doctor --fix adds it to the store, so that 'agenc mission resume ${shortId(id)}' brings it back; agenc repo gc deletes it`,
      () => addKeptMission(context, { id, repo }),
    ),
  )
}
