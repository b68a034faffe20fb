import { createHash, type Hash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { askGit, type GitTools } from '../repo/git.ts'

/** Larger files are told apart by their size and time. */
const readBytes = 1024 * 1024

/** Names the state of the files in a directory. Files that git ignores there do not count. */
export function directoryState(tools: GitTools, directory: string): string {
  const hash = createHash('sha256')
  for (const path of (listedByGit(tools, directory) ?? listedFiles(directory)).toSorted())
    addFile(hash, directory, path)
  return hash.digest('hex')
}

/** Returns null if git does not know the directory. */
function listedByGit(tools: GitTools, directory: string): string[] | null {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const listed = askGit(tools, args, { cwd: directory })
  return listed.exitCode === 0 ? [...new Set(listed.stdout.split('\0').filter(Boolean))] : null
}

function listedFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(
    path => !/(^|\/)\.git(\/|$)/.test(path),
  )
}

function addFile(hash: Hash, directory: string, path: string): void {
  const whole = join(directory, path)
  const stats = lstatSync(whole, { throwIfNoEntry: false })
  if (stats === undefined || stats.isDirectory()) return
  hash
    .update(`${path}\0${stats.mode & 0o111}\0`)
    .update(contentOf(whole, stats))
    .update('\0')
}

function contentOf(path: string, stats: Stats): Buffer | string {
  if (stats.isSymbolicLink()) return readlinkSync(path)
  const rough = `${stats.size} ${stats.mtimeMs}`
  if (!stats.isFile() || stats.size > readBytes) return rough
  try {
    return createHash('sha256').update(readFileSync(path)).digest()
  } catch {
    return rough
  }
}
