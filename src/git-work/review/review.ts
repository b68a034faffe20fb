import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import type { MissionRecord } from '../../db/missions.ts'
import { writeFileAtomically } from '../../io/files.ts'
import { makeTemporaryDirectory } from '../../io/temporary-directory.ts'
import { editFile } from '../../io/text-editor.ts'
import { missionTitle } from '../../mission/tell-done.ts'
import { shortId } from '../../mission-id.ts'
import type { MissionPaths } from '../../paths.ts'
import { type Comparison, compareWork, type WorkPart } from '../comparison.ts'
import { hasChanges, writePatch } from '../git-diff.ts'
import { leftDraft, readDraft, refuseHuge, removeDrafts, whileOpen, writeDraft } from './draft.ts'
import { type CommentJson, placeComments, reviewMessage } from './review-message.ts'
import { findAgain, type ReviewComment, type ReviewText, reviewText } from './review-text.ts'

export interface Review {
  /** The file with the message. Null if there are no comments. */
  path: string | null
  comments: CommentJson[]
  /** Says why there are none. */
  reason: string
}

/** Lets the user write comments into the diff, and stores them as one message. */
export function reviewWork(context: Context, mission: MissionRecord, part: WorkPart): Promise<Review> {
  const paths = context.paths.mission(mission.id)
  return whileOpen(paths.reviewDrafts, missionTitle(mission), () => review(context, mission, part, paths))
}

async function review(
  context: Context,
  mission: MissionRecord,
  part: WorkPart,
  paths: MissionPaths,
): Promise<Review> {
  const comparison = await compareWork(context, mission, part)
  const left = leftDraft(paths.reviewDrafts)
  const earlier = left === null ? [] : (await readDraft(comparison.repo, left)).comments
  if (earlier.length === 0 && !(await hasChanges(comparison))) {
    removeDrafts(paths.reviewDrafts)
    return { path: null, comments: [], reason: `Nothing has changed ${comparison.words}.` }
  }
  const text = await textOf(comparison, mission, paths)
  tellReopened(context, text, earlier)
  const draft = writeDraft(paths.reviewDrafts, text, earlier)
  const again = `agenc mission review ${shortId(mission.id)}`
  await editFile(context, draft.edited, `What you have written is kept. '${again}' opens it again.`)
  const { comments, changedLines } = await readDraft(comparison.repo, draft)
  if (changedLines > 0)
    context.err.line(
      `agenc: lines of the diff itself were changed (${changedLines}). Only lines of your own are comments; the files are as they were.`,
    )
  const placed = await placedNow(context, mission, part, { comparison, text, comments })
  const path = placed.length === 0 ? null : writeMessage(paths, reviewMessage(placed, comparison.words))
  removeDrafts(paths.reviewDrafts)
  return { path, comments: placed, reason: 'You wrote no comments.' }
}

async function textOf(
  comparison: Comparison,
  mission: MissionRecord,
  paths: MissionPaths,
): Promise<ReviewText> {
  const directory = makeTemporaryDirectory(join(paths.root, 'patch-'))
  try {
    const file = join(directory.path, 'patch')
    await writePatch(comparison, file)
    refuseHuge(file)
    return reviewText(explanation(comparison, mission), readFileSync(file, 'utf8'))
  } finally {
    directory.remove()
  }
}

function explanation({ words }: Comparison, mission: MissionRecord): string[] {
  return [
    `Review of ${missionTitle(mission)}: what has changed ${words}.`,
    'Write your comments on lines of their own, below the lines that they are about.',
    'A comment up here is about everything. Lines that begin with # are left out here.',
    'Save and leave the editor. Without a comment, nothing happens.',
    '',
  ]
}

function tellReopened({ err }: Context, text: ReviewText, comments: readonly ReviewComment[]): void {
  if (comments.length === 0) return
  const gone = comments.filter(comment => comment.place !== null && findAgain(comment, text) === null).length
  const top = gone === 0 ? '' : ` The code of ${gone} has changed since; they are at the top.`
  err.line(`Reopened a review that was not finished, with ${comments.length} comments.${top}`)
}

/** Claude may have gone on while the editor was open. */
async function placedNow(
  context: Context,
  mission: MissionRecord,
  part: WorkPart,
  { comparison, text, comments }: { comparison: Comparison; text: ReviewText; comments: ReviewComment[] },
): Promise<CommentJson[]> {
  if (comments.length === 0) return []
  const now = await compareWork(context, mission, part)
  const isSame = now.from === comparison.from && !(await hasChanges({ ...now, from: comparison.to }))
  const newest = isSame ? text : await textOf(now, mission, context.paths.mission(mission.id))
  return placeComments(comments, newest)
}

function writeMessage(paths: MissionPaths, message: string): string {
  let number = 1
  while (existsSync(paths.review(number))) number++
  writeFileAtomically(paths.review(number), message, { durable: true })
  return paths.review(number)
}
