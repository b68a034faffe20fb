import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { AgencError, errorCode } from '../../errors.ts'
import { makePrivateDirectory, removeFile } from '../../io/files.ts'
import { gitFailed } from '../../repo/git.ts'
import { isMakerGone, makerMark } from '../../system/maker.ts'
import { libraryGit, type MissionRepo } from '../mission-repo.ts'
import {
  commentsIn,
  type Hunk,
  type ReviewComment,
  type ReviewText,
  readReviewText,
  withComments,
} from './review-text.ts'

/**
 * A review that is being written: the text as the user edits it, and as it was. Each draft has a directory of its own, so
 * that a new one is complete before the one before it is deleted.
 */
export interface Draft {
  directory: string
  /** The file that the user edits. */
  edited: string
  original: string
}

function draftAt(directory: string): Draft {
  return { directory, edited: join(directory, 'review.diff'), original: join(directory, 'original.diff') }
}

/** The numbers of complete drafts. */
function draftNumbers(drafts: string): number[] {
  try {
    return readdirSync(drafts)
      .filter(name => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

/** The draft that was left behind when the last review was not finished. */
export function leftDraft(drafts: string): Draft | null {
  const newest = Math.max(0, ...draftNumbers(drafts))
  return newest === 0 ? null : draftAt(join(drafts, String(newest)))
}

export function writeDraft(drafts: string, text: ReviewText, comments: readonly ReviewComment[]): Draft {
  const next = Math.max(0, ...draftNumbers(drafts)) + 1
  const making = draftAt(join(drafts, `making-${process.pid}`))
  makePrivateDirectory(making.directory)
  writeFileSync(making.original, `${text.lines.join('\n')}\n`, { mode: 0o600 })
  writeFileSync(making.edited, `${withComments(text, comments).join('\n')}\n`, { mode: 0o600 })
  const made = draftAt(join(drafts, String(next)))
  renameSync(making.directory, made.directory)
  removeOthers(drafts, String(next))
  return made
}

export function removeDrafts(drafts: string): void {
  removeOthers(drafts)
}

function removeOthers(drafts: string, kept?: string): void {
  for (const name of readdirSync(drafts).filter(name => name !== kept && !name.startsWith(openMark)))
    rmSync(join(drafts, name), { recursive: true, force: true })
}

const openMark = 'open-'

/** Runs `work` while no other process has a review of the same mission open. */
export async function whileOpen<T>(drafts: string, title: string, work: () => Promise<T>): Promise<T> {
  makePrivateDirectory(drafts)
  const own = `${openMark}${makerMark()}`
  writeFileSync(join(drafts, own), '', { mode: 0o600 })
  try {
    const others = readdirSync(drafts).filter(name => name.startsWith(openMark) && name !== own)
    if (others.some(name => isMakerGone(name) === false))
      throw new AgencError(`a review of ${title} is open already`, 'Finish it, or close its editor.')
    for (const name of others) removeFile(join(drafts, name))
    return await work()
  } finally {
    removeFile(join(drafts, own))
    removeIfEmpty(drafts)
  }
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errorCode(error) ?? '')) throw error
  }
}

/** What the user has written into a draft. */
export async function readDraft(
  repo: MissionRepo,
  { edited, original }: Draft,
): Promise<{ comments: ReviewComment[]; changedLines: number }> {
  // The editor may have replaced the file, or left none.
  closeSync(openSync(edited, 'a', 0o600))
  if (statSync(edited).size === 0) return { comments: [], changedLines: 0 }
  const args = ['diff', '--no-index', '--no-ext-diff', '--no-textconv', '--no-color', '--text', '-U0']
  const looks = [
    '-O/dev/null',
    '--inter-hunk-context=0',
    '--ignore-space-at-eol',
    '--no-indent-heuristic',
    '--diff-algorithm=histogram',
  ]
  const compared = await libraryGit(repo, [...args, ...looks, '--', original, edited])
  if (compared.exitCode !== 0 && compared.exitCode !== 1) throw gitFailed('cannot read the review', compared)
  const lines = readFileSync(edited, 'utf8').replace(/\n$/, '').split('\n')
  return commentsIn(readReviewText(readFileSync(original, 'utf8')), lines, hunksIn(compared.stdout))
}

function hunksIn(diff: string): Hunk[] {
  return [...diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)].map(
    ([, at, removed = '1', from, added = '1']) => ({
      at: Number(at),
      removed: Number(removed),
      from: Number(from),
      added: Number(added),
    }),
  )
}

/** Larger files are slow in editors, and no one reads them. */
const mostBytes = 16 * 1024 * 1024

export function refuseHuge(patch: string): void {
  const { size } = statSync(patch)
  if (size <= mostBytes) return
  throw new AgencError(
    `there is too much to review at once: ${Math.round(size / 1024 / 1024)} MB`,
    'Review the latest turn with --last, or one turn with --turn.',
  )
}
