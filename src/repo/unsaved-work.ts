import { cleanText } from '../io/text.ts'
import { findUnsavedWork, type UnsavedWork } from './find-unsaved-work.ts'
import type { GitTools } from './git.ts'

const shownNames = 3

/** What would be lost, a line each; empty when nothing would. Not knowing is a line too. */
export function describeUnsavedWork({
  directory,
  library,
  ...tools
}: GitTools & { directory: string; library?: string }): string[] {
  const answer = findUnsavedWork(tools, directory, library)
  if ('unknown' in answer) return [`what is in it cannot be told: ${cleanText(answer.unknown)}`]
  return linesOf(answer).filter(line => line !== undefined)
}

function linesOf(work: UnsavedWork): (string | undefined)[] {
  return [
    files(work.uncommitted, 'not committed'),
    files(work.untracked, 'not tracked by git'),
    work.unpushed > 0 ? `${count(work.unpushed, 'commit')} that no remote has` : undefined,
    work.stashes > 0 ? count(work.stashes, 'stash', 'stashes') : undefined,
    work.hasFilesOutsideGit ? 'files in a directory that is not a git repo' : undefined,
  ]
}

function files(paths: readonly string[], what: string): string | undefined {
  if (paths.length === 0) return undefined
  const names = paths.slice(0, shownNames).map(cleanText).join(', ')
  return `${count(paths.length, 'file')} ${what}: ${names}${paths.length > shownNames ? ', …' : ''}`
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}
