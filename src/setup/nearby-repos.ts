import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

const usualDirectories = [
  'src',
  'code',
  'projects',
  'Projects',
  'dev',
  'Developer',
  'work',
  'repos',
  'git',
  'workspace',
]
const skipped = /^\.|^(node_modules|vendor|Library|target|dist|build)$/
const mostRepos = 15
const depthBelow = 3
const searchTimeMs = 400

export interface Surroundings {
  cwd: string
  home: string
  /** A directory to skip, because it has agenc's own copies. */
  except: string
}

/** Finds git repos nearby: the one around the current directory first, then the most recently used ones. */
export function nearbyRepos({ cwd, home, except }: Surroundings): string[] {
  const deadlineMs = Date.now() + searchTimeMs
  const around = enclosing(cwd)
  const roots = [cwd, ...usualDirectories.map(name => join(home, name))].filter(root => root !== home)
  const found = new Map<string, number>()
  for (const root of roots) collect(root, depthBelow, { found, deadlineMs, except })
  collect(home, 1, { found, deadlineMs, except })
  if (around !== null) found.set(around, Number.POSITIVE_INFINITY)
  return [...found]
    .sort((a, b) => b[1] - a[1])
    .map(([path]) => path)
    .slice(0, mostRepos)
}

interface Search {
  found: Map<string, number>
  deadlineMs: number
  except: string
}

function collect(directory: string, depth: number, search: Search): void {
  if (directory === search.except || Date.now() > search.deadlineMs) return
  const usedAt = lastUse(directory)
  if (usedAt !== null) return void search.found.set(directory, usedAt)
  if (depth === 0) return
  for (const name of directoriesIn(directory)) collect(join(directory, name), depth - 1, search)
}

/** Returns null if it is not a repo. Almost every git command changes the index, so its time tells the last use. */
function lastUse(directory: string): number | null {
  const git = join(directory, '.git')
  const mtimeMs = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null
  try {
    return mtimeMs(join(git, 'index')) ?? mtimeMs(git)
  } catch {
    return null
  }
}

function directoriesIn(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter(entry => entry.isDirectory() && !skipped.test(entry.name))
      .map(entry => entry.name)
  } catch {
    return []
  }
}

function enclosing(directory: string): string | null {
  if (lastUse(directory) !== null) return directory
  return dirname(directory) === directory ? null : enclosing(dirname(directory))
}
