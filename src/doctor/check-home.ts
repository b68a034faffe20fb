import { chmodSync, existsSync, mkdtempSync, rmdirSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { defaultConfig, readConfig } from '../config/read.ts'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { copiesOf, lossOf } from '../db/lost-store.ts'
import type { Database } from '../db/open-store.ts'
import { readStore } from '../db/with-store.ts'
import { isAgencError } from '../errors.ts'
import { shellWord } from '../io/shell-quote.ts'
import { type Finding, ok, problem } from './findings.ts'
import { inodeOf, rebuildStore } from './rebuild-store.ts'

const privateDirectory = 0o700
const privateFile = 0o600

/** Checks that other users have no access. Follows links, because the modes of their targets decide. */
export function checkHome({ paths }: Context): Finding[] {
  if (!existsSync(paths.home)) return [judgeMissingHome(paths.home)]
  const stats = statSync(paths.home)
  if (!stats.isDirectory())
    return [
      problem(
        'home',
        `${paths.home} is not a directory`,
        'Move it away, or set AGENC_DIRPATH to another path.',
      ),
    ]
  if (stats.uid !== process.getuid?.())
    return [
      problem(
        'home',
        `${paths.home} belongs to another user`,
        `sudo chown -R "$USER" ${shellWord(paths.home)}`,
      ),
    ]
  const open = [
    ...[paths.home, paths.repos, paths.missions].flatMap(path => tooOpen(path, privateDirectory)),
    ...privateFiles(paths.home).flatMap(path => tooOpen(path, privateFile)),
  ]
  return open.length === 0 ? [ok('home', `${paths.home} is private`)] : open
}

/** Tries whether the home can be created, with a directory that is removed at once. */
function judgeMissingHome(home: string): Finding {
  let parent = dirname(home)
  while (!existsSync(parent)) parent = dirname(parent)
  try {
    rmdirSync(mkdtempSync(join(parent, '.agenc-')))
    return ok('home', `${home} does not exist yet; agenc creates it when needed`)
  } catch (error) {
    const reason = (error as Error).message
    return problem('home', `${home} cannot be created: ${reason}`, 'Set AGENC_DIRPATH to another path.')
  }
}

function privateFiles(home: string): string[] {
  const names = ['config.json', 'database.sqlite', 'database.sqlite-wal', 'database.sqlite-shm']
  return names.map(name => join(home, name))
}

function tooOpen(path: string, wanted: number): Finding[] {
  const stats: Stats | undefined = statSync(path, { throwIfNoEntry: false })
  if (!stats || (stats.mode & 0o077) === 0) return []
  const mode = wanted.toString(8)
  const others = `other users can access ${basename(path)} (mode ${(stats.mode & 0o777).toString(8)})`
  return [
    problem('home', others, `chmod ${mode} ${shellWord(path)}`, () => {
      chmodSync(path, wanted)
      return `chmod ${mode} ${path}`
    }),
  ]
}

/** If the settings cannot be read, the other checks use the defaults. */
export async function checkSettings({ paths }: Context): Promise<{ config: Config; finding: Finding }> {
  try {
    return { config: await readConfig(paths), finding: ok('settings', 'config.json is valid') }
  } catch (error) {
    if (!isAgencError(error)) throw error
    const remedy = error.hint ?? "Fix it with 'agenc config edit'."
    return { config: defaultConfig, finding: problem('settings', error.message, remedy) }
  }
}

/** Writes nothing, except that it migrates the store of an older agenc, as every command does. */
export async function checkStore(context: Context): Promise<Finding> {
  const { database } = context.paths
  let inode: number | undefined
  const rebuild = () => rebuildStore(context, inode)
  try {
    inode = inodeOf(database)
    const loss = await lossOf(database)
    if (loss !== null) return problem('store', loss, remedyForLoss(database), rebuild)
    if (!existsSync(database)) return ok('store', 'no store yet; the first repo or mission creates it')
    return await readStore(context, db => judge(db!, database, rebuild))
  } catch (error) {
    const isDamaged = /it is damaged/.test((error as Error).message)
    const fix = isDamaged ? rebuild : undefined
    return problem('store', (error as Error).message, remedyFor(database), fix)
  }
}

function remedyForLoss(path: string): string {
  const [newest] = copiesOf(path)
  const copy = newest === undefined ? '' : `; or restore the newest copy: ${newest}`
  return `agenc doctor --fix rebuilds it from the missions' own files${copy}`
}

function judge(db: Database, path: string, rebuild: () => Promise<string>): Finding {
  const [first] = db.pragma('quick_check(1)') as { quick_check: string }[]
  if (first?.quick_check !== 'ok')
    return problem('store', `the store is damaged: ${first?.quick_check}`, remedyFor(path), rebuild)
  const broken = db.pragma('foreign_key_check') as unknown[]
  if (broken.length > 0)
    return problem('store', `${broken.length} rows belong to missions that no longer exist`, remedyFor(path))
  const { missions } = db
    .prepare('SELECT count(*) AS missions FROM missions WHERE removed_at IS NULL')
    .get() as { missions: number }
  return ok('store', `intact, with ${missions} ${missions === 1 ? 'mission' : 'missions'}`)
}

function remedyFor(path: string): string {
  const rescued = shellWord(`${path}.rescued`)
  return `Stop all missions, then: sqlite3 ${shellWord(path)} .recover | sqlite3 ${rescued}; then replace the store with that file.`
}
