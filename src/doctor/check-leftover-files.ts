import { existsSync, lstatSync, readdirSync, rmdirSync, rmSync, type Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { claudeLocations } from '../claude/claude-locations.ts'
import { editPrefix } from '../config/write.ts'
import type { Context } from '../context.ts'
import { withStore } from '../db/with-store.ts'
import { errorCode } from '../errors.ts'
import { isDraft, realPathOf } from '../io/files.ts'
import { hasLapsed, lockOf, takeoverOf } from '../io/lock.ts'
import { shellWord } from '../io/shell-quote.ts'
import { makingOf, unfinishedPrefix } from '../mission/maker-mark.ts'
import { readRecordFile } from '../mission/record-file.ts'
import { deletedPrefix } from '../mission/remove.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { MissionPaths } from '../paths.ts'
import { listLibrary } from '../repo/library.ts'
import { stagingPrefix } from '../repo/staging.ts'
import { isMakerGone } from '../system/maker.ts'
import { systemProbe } from '../system/process-identity.ts'
import { trialPrefix } from './check-claude.ts'
import { type Finding, warning } from './findings.ts'
import { addMission } from './rebuild-store.ts'

const hourMs = 60 * 60 * 1000
/** A clone that has not finished after a day was abandoned. */
const abandonedCloneMs = 24 * hourMs

/** Files that killed processes left behind. `unknown` are the missions that have a directory but no record. */
export function checkFiles(context: Context, unknown: readonly MissionId[]): Finding[] {
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
    ...missions
      .filter(({ name, path }) => name.startsWith(unfinishedPrefix) && isAbandoned(context, path))
      .map(({ path }) => removable(interruptedNew, path)),
    ...[...missions.map(({ path }) => path), ...listLibrary(paths.repos).map(id => join(paths.repos, id))]
      .flatMap(aged)
      .filter(entry => entry.name.startsWith(stagingPrefix) && isLeft(entry, abandonedCloneMs))
      .map(({ path }) => removable('remains of an interrupted copy', path)),
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
    ...unknown.flatMap(id => unknownMission(context, id)),
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

const interruptedNew = "remains of an interrupted 'mission new'"

function isAbandoned({ exec }: Context, path: string): boolean {
  return makingOf(new MissionPaths(path), systemProbe(exec)) === 'abandoned'
}

function unknownMission(context: Context, id: MissionId): Finding[] {
  const mission = context.paths.mission(id)
  switch (makingOf(mission, systemProbe(context.exec))) {
    case 'being-made':
      return []
    case 'abandoned':
      return [removable(interruptedNew, mission.root)]
    case 'done':
      return [hasFiles(mission.root) ? lostMission(context, id, mission.root) : emptyMission(mission.root)]
  }
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

/** Never removed: this directory may be the only copy of the work. */
function lostMission(context: Context, id: MissionId, path: string): Finding {
  const message = `the directory of a mission that the store does not know: ${path}`
  const removal = `save what you need from it, then: rm -rf ${shellWord(path)}`
  const { agent, record } = context.paths.mission(id)
  const { dir, repo } = readRecordFile(record)
  // Without its own directory, it may have one of the user's, get it at its start, or have its work in the library.
  if (!existsSync(agent) && !dir && !repo) return warning('leftovers', message, removal)
  const remedy = `agenc doctor --fix adds the mission to the store; or ${removal}`
  return warning('leftovers', message, remedy, () =>
    withStore(context, db => {
      addMission(context, db, id)
      return `added mission ${shortId(id)} to the store`
    }),
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
