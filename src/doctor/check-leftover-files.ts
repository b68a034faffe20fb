import { lstatSync, readdirSync, rmdirSync, rmSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { editPrefix } from '../config/write.ts'
import type { Context } from '../context.ts'
import { errorCode } from '../errors.ts'
import { isDraft } from '../io/files.ts'
import { shellWord } from '../io/shell-quote.ts'
import { isMissionId } from '../mission-id.ts'
import { stagingPrefix } from '../repo/staging.ts'
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
  return [
    ...missions
      .filter(({ name }) => name.startsWith('.deleted-'))
      .map(({ path }) => removable('remains of a deleted mission', path)),
    ...aged(paths.repos)
      .filter(({ name, ageMs }) => name.startsWith(stagingPrefix) && ageMs > abandonedCloneMs)
      .map(({ path }) => removable('remains of a clone', path)),
    ...aged(paths.home)
      .filter(({ name, ageMs }) => isDraft(name) && ageMs > hourMs)
      .map(({ path }) => removable('remains of an interrupted write', path)),
    ...aged(paths.home)
      .filter(({ name, ageMs }) => name.startsWith(editPrefix) && ageMs > hourMs)
      .map(({ path }) => unsavedEdit(path)),
    ...missions
      .filter(({ name, ageMs }) => isMissionId(name) && !known.has(name) && ageMs > hourMs)
      .map(({ path }) => (hasFiles(path) ? unknownMission(path) : emptyMission(path))),
  ]
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
