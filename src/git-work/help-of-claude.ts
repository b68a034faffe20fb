import type { AgencError } from '../errors.ts'

/** What the mission's own Claude can do about a problem. */
export interface Help {
  /** The words for Claude. */
  request: string
  /** Gives Claude what it needs for that. */
  prepare?: () => Promise<void>
}

/** Marks an error as one that the mission's own Claude can put right. */
export function withHelp(error: AgencError, help: Help): AgencError {
  return Object.assign(error, { help })
}

/** Null if Claude cannot help. */
export function helpIn(error: unknown): Help | null {
  return error instanceof Error && 'help' in error ? (error.help as Help) : null
}

/** For files that are not committed. */
export function askToCommit(paths: readonly string[]): Help {
  return {
    request: `Please commit all of your work on the current branch, with a message that says what it does. Nothing may stay uncommitted. These files are:\n${listed(paths)}`,
  }
}

export function askToFinish(operation: string): Help {
  return {
    request: `This repo is in the middle of a ${operation}. Please finish it, and commit the result on your branch.`,
  }
}

export function askToResolve(paths: readonly string[]): Help {
  return { request: `Please resolve the conflicts in these files, and commit the result:\n${listed(paths)}` }
}

/** For a commit that conflicts with the mission's branch. */
export function askToCombine(
  other: { name: string; commit: string; isRebase: boolean },
  paths: readonly string[],
): string {
  const { name, commit, isRebase } = other
  const how = isRebase
    ? `Please rebase your branch onto the commit ${commit} (${name}), which is in this repo`
    : `Please merge the commit ${commit} (${name}), which is in this repo, into your branch`
  return `${how}. Resolve the conflicts so that both sides keep their meaning, and commit the result. These files conflict:\n${listed(paths)}`
}

const mostPaths = 50

function listed(paths: readonly string[]): string {
  const lines = paths.slice(0, mostPaths).map(path => `- ${JSON.stringify(path)}`)
  const more = paths.length - lines.length
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')
}
