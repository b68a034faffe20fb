import { existsSync, lstatSync, readdirSync, rmdirSync, rmSync, type Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { claudeLocations } from '../claude/claude-locations.ts'
import { editPrefix } from '../config/write.ts'
import type { Context } from '../context.ts'
import { errorCode } from '../errors.ts'
import { isDraft, realPathOf } from '../io/files.ts'
import { hasLapsed, lockOf, takeoverOf } from '../io/lock.ts'
import { shellWord } from '../io/shell-quote.ts'
import { deletedPrefix } from '../mission/remove.ts'
import { isMissionId } from '../mission-id.ts'
import { stagingPrefix } from '../repo/staging.ts'
import { isMakerGone } from '../system/maker.ts'
import { trialPrefix } from './check-claude.ts'
import { type Finding, warning } from './findings.ts'

const hourMs = 60 * 60 * 1000
/** A clone that has not finished after a day was abandoned. */
const abandonedCloneMs = 24 * hourMs

/** Files that killed processes left behind. `known` are the missions in the store. */
export function checkFiles(context: Context, known: ReadonlySet<string>): Finding[] {
  const { paths, now } = context
  const nowMs = now().getTime()
  const aged = (directory: string) =>
    entriesOf(directory).map(({ name, path, stats }) => ({ name, path, ageMs: nowMs - stats.mtimeMs }))
  const missions = aged(paths.missions)
  const isLeft = ({ name, ageMs }: { name: string; ageMs: number }, patienceMs: number) =>
    isMakerGone(name) ?? ageMs > patienceMs
  return [
    ...missions
      .filter(({ name }) => name.startsWith(deletedPrefix))
      .map(({ path }) => removable('remains of a deleted mission', path)),
    ...aged(paths.repos)
      .filter(entry => entry.name.startsWith(stagingPrefix) && isLeft(entry, abandonedCloneMs))
      .map(({ path }) => removable('remains of a clone', path)),
    ...writtenDirectories(context)
      .flatMap(aged)
      .filter(entry => isDraft(entry.name) && isLeft(entry, hourMs))
      .map(({ path }) => removable('remains of an interrupted write', path)),
    ...aged(paths.home)
      .filter(entry => entry.name.startsWith(editPrefix) && isLeft(entry, hourMs))
      .map(({ path }) => unsavedEdit(path)),
    ...aged(paths.home)
      .filter(({ name }) => name.startsWith(trialPrefix) && isMakerGone(name))
      .map(({ path }) => removable("remains of an interrupted 'doctor'", path)),
    ...unfinishedCopies(paths.database),
    ...[paths.config, paths.database].flatMap(path => leftLocks(path, nowMs)),
    ...missions
      .filter(({ name, ageMs }) => isMissionId(name) && !known.has(name) && ageMs > hourMs)
      .map(({ path }) => (hasFiles(path) ? unknownMission(path) : emptyMission(path))),
  ]
}

/** The directories in which agenc replaces files. */
function writtenDirectories({ paths, env }: Context): string[] {
  const ofMissions = entriesOf(paths.missions).flatMap(({ path }) => [path, join(path, 'run')])
  const ofClaude = dirname(claudeLocations(env).globalConfig)
  const directories = [paths.home, dirname(realPathOf(paths.config)), ofClaude, ...ofMissions]
  return [...new Set(directories)]
}

/** The store is copied under its lock. */
function unfinishedCopies(database: string): Finding[] {
  if (existsSync(lockOf(database))) return []
  return entriesOf(dirname(database))
    .filter(
      ({ name }) => name.startsWith(`${basename(database)}.`) && name.endsWith('.tmp') && !isDraft(name),
    )
    .map(({ path }) => removable('an unfinished copy of the store', path))
}

/** A lock has no room for the name of its holder, so a young one may be in use. */
function leftLocks(path: string, nowMs: number): Finding[] {
  const locks = [lockOf(path), takeoverOf(path)].filter(existsSync)
  return locks.map(lock =>
    hasLapsed(lock, nowMs)
      ? lapsedLock(lock)
      : warning(
          'leftovers',
          `another agenc has locked ${path}, or was killed while it did`,
          'If this stays for more than 10 seconds: agenc doctor --fix',
        ),
  )
}

function lapsedLock(lock: string): Finding {
  return warning('leftovers', `a lock that no process uses: ${lock}`, `rmdir ${shellWord(lock)}`, () => {
    // Another process may have taken it since the check.
    if (!hasLapsed(lock, Date.now())) return `left ${lock}: it is in use now`
    rmdirSync(lock)
    return `removed ${lock}`
  })
}

function removable(what: string, path: string): Finding {
  return warning('leftovers', `${what}: ${path}`, `rm -rf ${shellWord(path)}`, () => {
    rmSync(path, { recursive: true, force: true })
    return `removed ${path}`
  })
}

/** Removes directories only, so that a file created since then is kept. */
function emptyMission(path: string): Finding {
  const remedy = `find ${shellWord(path)} -type d -empty -delete`
  return warning('leftovers', `an empty mission: ${path}`, remedy, () => {
    removeEmptyDirectories(path)
    return `removed ${path}`
  })
}

function removeEmptyDirectories(path: string): void {
  for (const name of readdirSync(path)) removeEmptyDirectories(join(path, name))
  rmdirSync(path)
}

/** Never fixed automatically: if the store was lost, this directory may be the only copy of the work. */
function unknownMission(path: string): Finding {
  return warning(
    'leftovers',
    `the directory of a mission that the store does not know: ${path}`,
    `Save what you need from it, then: rm -rf ${shellWord(path)}`,
  )
}

/** Never fixed automatically: the editor may still be open. */
function unsavedEdit(path: string): Finding {
  return warning(
    'leftovers',
    `settings from 'agenc config edit' that were not saved: ${path}`,
    `If the editor is closed, save what you need from them, then: rm -rf ${shellWord(path)}`,
  )
}

/** Assumes that a directory that cannot be read has files. */
function hasFiles(directory: string): boolean {
  try {
    return readdirSync(directory, { withFileTypes: true }).some(
      entry => !entry.isDirectory() || hasFiles(join(directory, entry.name)),
    )
  } catch (error) {
    return errorCode(error) !== 'ENOENT'
  }
}

interface DirectoryEntry {
  name: string
  path: string
  stats: Stats
}

function entriesOf(directory: string): DirectoryEntry[] {
  try {
    return readdirSync(directory).flatMap(name => {
      const path = join(directory, name)
      const stats = lstatSync(path, { throwIfNoEntry: false })
      return stats ? [{ name, path, stats }] : []
    })
  } catch {
    return []
  }
}
