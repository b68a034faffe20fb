import { isCode, type PatchLine } from './patch-lines.ts'
import { findAgain, nameOfPlace, type ReviewComment, type ReviewText } from './review-text.ts'

export interface CommentJson {
  /** Null for a comment on everything. */
  path: string | null
  /** Null for a comment on a whole file. */
  line: number | null
  /** The file that the line is in: before (`old`) or after (`new`) the change. */
  side: 'old' | 'new' | null
  code: string | null
  text: string
  /** The line at which it was written, if the code has moved since. */
  moved_from: number | null
  /** The code has changed since the comment was written. */
  gone: boolean
}

/** Comments with the places of their code in the newest version of the patch. */
export function placeComments(comments: readonly ReviewComment[], newest: ReviewText): CommentJson[] {
  return comments.map(comment => {
    const index = findAgain(comment, newest)
    const gone = index === null && comment.place !== null
    const place = index === null ? comment.place : newest.places[index]!
    return { ...placeJson(place), text: comment.text, moved_from: movedFrom(comment.place, place), gone }
  })
}

function placeJson(place: PatchLine | null): Pick<CommentJson, 'path' | 'line' | 'side' | 'code'> {
  if (place === null) return { path: null, line: null, side: null, code: null }
  if (!isCode(place)) return { path: place.path, line: null, side: null, code: null }
  return { path: place.path, line: place.line, side: place.isRemoved ? 'old' : 'new', code: place.code }
}

function movedFrom(before: PatchLine | null, now: PatchLine | null): number | null {
  return isCode(before) && before.line !== now?.line ? before.line : null
}

/** One message for Claude with all comments. */
export function reviewMessage(comments: readonly CommentJson[], words: string): string {
  return [`Review comments on your changes ${words}:`, ...comments.map(section)].join('\n\n').concat('\n')
}

function section(comment: CommentJson): string {
  const { path, line, side, code, text } = comment
  if (path === null) return `## All changes\n\n${text}`
  const place = line === null ? { path, line } : { path, line, isRemoved: side === 'old', code: code! }
  const notes = [
    ...(side === 'old' ? ['removed'] : []),
    ...(comment.moved_from === null ? [] : [`was line ${comment.moved_from}`]),
    ...(comment.gone ? ['has changed since'] : []),
  ]
  const title = `## ${nameOfPlace(place)}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`
  return [title, ...(code === null ? [] : [`> ${code}`]), text].join('\n\n')
}
