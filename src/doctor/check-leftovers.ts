import { lstatSync, readdirSync, rmdirSync, rmSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { editPrefix } from '../config/config-file.ts'
import type { Context } from '../context.ts'
import { errorCode } from '../errors.ts'
import { isDraft } from '../io/files.ts'
import { shellWord } from '../io/shell-quote.ts'
import { isMissionId } from '../mission-id.ts'
import { stagingPrefix } from '../repo/staging.ts'
import { type Finding, warning } from './finding.ts'

const hourMs = 60 * 60 * 1000
/** A clone may take long; one that takes a day is none. */
const abandonedCloneMs = 24 * hourMs

/** What killed processes left on the disk, apart from missions that the store knows. */
export function checkFiles(context: Context, known: ReadonlySet<string>): Finding[] {
  const { paths, now } = context
  const nowMs = now().getTime()
  const aged = (directory: string) =>
    entriesOf(directory).map(({ name, path, stats }) => ({ name, path, ageMs: nowMs - stats.mtimeMs }))
  const missions = aged(paths.missions)
  return [
    ...missions
      .filter(({ name }) => name.startsWith('.deleted-'))
      .map(({ path }) => rubbish('what is left of a deleted mission', path)),
    ...aged(paths.repos)
      .filter(({ name, ageMs }) => name.startsWith(stagingPrefix) && ageMs > abandonedCloneMs)
      .map(({ path }) => rubbish('what is left of a clone', path)),
    ...aged(paths.home)
      .filter(({ name, ageMs }) => isDraft(name) && ageMs > hourMs)
      .map(({ path }) => rubbish('what is left of a write', path)),
    ...aged(paths.home)
      .filter(({ name, ageMs }) => name.startsWith(editPrefix) && ageMs > hourMs)
      .map(({ path }) => unsavedEdit(path)),
    ...missions
      .filter(({ name, ageMs }) => isMissionId(name) && !known.has(name) && ageMs > hourMs)
      .map(({ path }) => (hasFiles(path) ? unknownMission(path) : emptyMission(path))),
  ]
}

function rubbish(what: string, path: string): Finding {
  return warning('leftovers', `${what}: ${path}`, `rm -rf ${shellWord(path)}`, () => {
    rmSync(path, { recursive: true, force: true })
    return `removed ${path}`
  })
}

/** Directories only: a file that has come since stops it. */
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

/** Perhaps the store was lost and this is not: only its owner can tell. */
function unknownMission(path: string): Finding {
  return warning(
    'leftovers',
    `a mission's directory that the store does not know: ${path}`,
    `Look whether you need something of it, then: rm -rf ${shellWord(path)}`,
  )
}

/** Its editor was cut off, or is still open: only its owner can tell. */
function unsavedEdit(path: string): Finding {
  return warning(
    'leftovers',
    `settings from 'agenc config edit' that were not saved: ${path}`,
    `Unless they are still open: look whether you need something of them, then: rm -rf ${shellWord(path)}`,
  )
}

/** What cannot be read may have files. */
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
