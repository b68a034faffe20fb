import { existsSync } from 'node:fs'
import type { Context } from '../context.ts'
import type { Database } from '../db/open-store.ts'
import { readStore } from '../db/with-store.ts'
import { shellWord } from '../io/shell-quote.ts'
import { type Finding, ok, problem } from './finding.ts'

/** Nothing is written; a store of an older agenc is brought up to date, as by every command. */
export async function checkStore(context: Context): Promise<Finding> {
  const { database } = context.paths
  if (!existsSync(database)) return ok('store', 'no store yet; it is made with the first repo or mission')
  try {
    return await readStore(context, db => judge(db!, database))
  } catch (error) {
    return problem('store', (error as Error).message, remedyFor(database))
  }
}

function judge(db: Database, path: string): Finding {
  const [first] = db.pragma('quick_check(1)') as { quick_check: string }[]
  if (first?.quick_check !== 'ok')
    return problem('store', `the store is damaged: ${first?.quick_check}`, remedyFor(path))
  const broken = db.pragma('foreign_key_check') as unknown[]
  if (broken.length > 0)
    return problem('store', `${broken.length} rows belong to missions that are gone`, remedyFor(path))
  const { missions } = db.prepare('SELECT count(*) AS missions FROM missions').get() as { missions: number }
  return ok('store', `sound, with ${missions} ${missions === 1 ? 'mission' : 'missions'}`)
}

function remedyFor(path: string): string {
  const rescued = shellWord(`${path}.rescued`)
  return `Stop all missions, then: sqlite3 ${shellWord(path)} .recover | sqlite3 ${rescued} - and put that in its place.`
}
