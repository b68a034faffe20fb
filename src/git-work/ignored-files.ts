import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs'
import { basename, join } from 'node:path'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { knownCheckouts } from './known-checkouts.ts'
import { libraryGit, missionRepo, outputOf, ownObjects } from './mission-repo.ts'

/** An ignored file, or a directory with nothing but ignored files, whose name ends with a slash. */
export interface IgnoredEntry {
  path: string
  bytes: number
}

/** Directories that a build or a package manager makes again. */
const regenerated = new Set([
  'node_modules',
  'dist',
  'build',
  'target',
  'coverage',
  'venv',
  '.venv',
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.tox',
  '.gradle',
  '.cache',
  '.next',
  '.nuxt',
  '.turbo',
  '.parcel-cache',
])

/**
 * The ignored files that exist only in a mission's directory. Neither git nor the library has them. Files that are the
 * same in the user's checkout do not count, nor do the results of builds.
 */
export async function ignoredOnlyHere(
  context: Context,
  db: Database,
  mission: MissionRecord,
): Promise<IgnoredEntry[]> {
  if (mission.repo === null || mission.dir !== null) return []
  const repo = missionRepo(context, mission)
  if (ownObjects(repo) === null) return []
  const exclude = join(repo.directory, '.git', 'info', 'exclude')
  const index = join(repo.directory, '.git', 'index')
  const listed = await outputOf(
    libraryGit(
      repo,
      [
        ...['ls-files', '-z', '--others', '--ignored', '--directory', '--exclude-standard'],
        ...(existsSync(exclude) ? [`--exclude-from=${exclude}`] : []),
      ],
      { env: { GIT_WORK_TREE: repo.directory, ...(existsSync(index) ? { GIT_INDEX_FILE: index } : {}) } },
    ),
    'cannot list the ignored files',
  )
  const checkouts = await knownCheckouts(context, db, mission)
  return listed
    .split('\0')
    .filter(path => path !== '' && !(path.endsWith('/') && regenerated.has(basename(path))))
    .filter(path => !checkouts.some(checkout => isSame(join(repo.directory, path), join(checkout, path))))
    .map(path => ({ path, bytes: sizeOf(join(repo.directory, path)) }))
    .filter(({ path, bytes }) => bytes > 0 || !path.endsWith('/'))
}

function sizeOf(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return 0
  if (!stats.isDirectory()) return stats.size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}

/** Larger files are not compared, and count as different. */
const mostBytes = 64 * 1024 * 1024

function isSame(path: string, other: string): boolean {
  const [own, their] = [path, other].map(one => lstatSync(one, { throwIfNoEntry: false }))
  if (!own || !their || kindOf(own) !== kindOf(their)) return false
  if (own.isDirectory()) return readdirSync(path).every(name => isSame(join(path, name), join(other, name)))
  if (own.isSymbolicLink()) return readlinkSync(path) === readlinkSync(other)
  if (!own.isFile() || own.size !== their.size || own.size > mostBytes) return false
  return readFileSync(path).equals(readFileSync(other))
}

function kindOf(stats: Stats): string {
  return stats.isDirectory()
    ? 'directory'
    : stats.isSymbolicLink()
      ? 'link'
      : stats.isFile()
        ? 'file'
        : 'other'
}
