import { type CodeLine, isCode, type PatchLine, placesIn } from './patch-lines.ts'

/** The text that a user edits: a patch between two explanations. */
export interface ReviewText {
  lines: string[]
  /** The place of each line. Null for lines of the explanations. */
  places: (PatchLine | null)[]
}

export interface ReviewComment {
  text: string
  /** The line that it stands below. Null for a comment on everything. */
  place: PatchLine | null
  /** The lines of code around that line, for finding it again. */
  around: Neighbours
}

interface Neighbours {
  above: string[]
  below: string[]
}

/** Lines of an edited text that differ from the original: `git diff -U0`. Lines are counted from 1. */
export interface Hunk {
  at: number
  removed: number
  from: number
  added: number
}

/** vim looks for settings in the first and the last five lines of a file. They must not be the patch. */
const linesAtEnds = 5

export function reviewText(explanation: readonly string[], patch: string): ReviewText {
  const body = patch === '' ? [] : patch.replace(/\n$/, '').split('\n')
  const filled = [...explanation, ...Array.from({ length: linesAtEnds - explanation.length }, () => '')]
  const top = filled.map(line => `# ${line}`.trimEnd())
  const bottom = ['# The end of the changes.', ...Array.from({ length: linesAtEnds - 1 }, () => '#')]
  const none = (lines: readonly string[]) => lines.map(() => null)
  return { lines: [...top, ...body, ...bottom], places: [...none(top), ...placesIn(body), ...none(bottom)] }
}

/** A text as it was written to a file earlier. */
export function readReviewText(text: string): ReviewText {
  const lines = text.replace(/\n$/, '').split('\n')
  const start = lines.findIndex(line => line.startsWith('diff --git '))
  if (start === -1) return { lines, places: lines.map(() => null) }
  const end = lines.length - linesAtEnds
  const inside = placesIn(lines.slice(start, end))
  return { lines, places: lines.map((_, index) => inside[index - start] ?? null) }
}

/** What the user has written: comments, and the number of lines of the patch that they changed. */
export function commentsIn(
  { lines, places }: ReviewText,
  edited: readonly string[],
  hunks: readonly Hunk[],
): { comments: ReviewComment[]; changedLines: number } {
  const comments = hunks.flatMap(({ at, removed, from, added }) => {
    // git names the line above an insertion, and the first line of a change.
    const above = removed === 0 ? at - 1 : at + removed - 2
    const written = withoutEdits(edited.slice(from - 1, from - 1 + added), removed)
    const isExplanation = (places[above] ?? null) === null
    const text = (isExplanation ? written.filter(line => !line.startsWith('#')) : written).join('\n').trim()
    if (text === '') return []
    const index = isCode(places[above + 1]) && lines[above]!.startsWith('@@ ') ? above + 1 : above
    return [{ text, place: places[index] ?? null, around: neighbours(places, index) }]
  })
  const changedLines = hunks
    .flatMap(({ at, removed }) => places.slice(at - 1, at - 1 + removed))
    .filter(place => place !== null).length
  return { comments, changedLines }
}

/** As many lines as were removed may be changed lines of the patch. They still look like it. */
function withoutEdits(written: readonly string[], removed: number): string[] {
  let left = removed
  return written.filter(line => !(/^([-+ @\\#]|diff --git )/.test(line) && left-- > 0))
}

const mostNeighbours = 3

function neighbours(places: ReviewText['places'], index: number): Neighbours {
  const codes = (from: number, to: number) =>
    places.slice(Math.max(from, 0), to).map(place => (isCode(place) ? place.code : ''))
  return {
    above: codes(index - mostNeighbours, index).reverse(),
    below: codes(index + 1, index + 1 + mostNeighbours),
  }
}

/** Where the code of a comment is in another version of the patch. Null if it is not there. */
export function findAgain({ place, around }: ReviewComment, { places }: ReviewText): number | null {
  if (place === null) return null
  const indexes = [...places.keys()].filter(index => places[index]?.path === place.path)
  if (!isCode(place)) return indexes[0] ?? null
  const fits = (signs: number) =>
    indexes.filter(index => {
      const found = places[index]
      const isSide = isCode(found) && found.isRemoved === place.isRemoved
      return isSide && found.code.slice(signs) === place.code.slice(signs)
    })
  const exact = fits(0)
  const candidates = exact.length > 0 ? exact : fits(1)
  const likeness = (index: number) => {
    const there = neighbours(places, index)
    const same = (a: string[], b: string[]) => a.filter((code, at) => code !== '' && code === b[at]).length
    return same(around.above, there.above) + same(around.below, there.below)
  }
  const distance = (index: number) => Math.abs((places[index] as CodeLine).line - place.line)
  const [best] = candidates.toSorted((a, b) => likeness(b) - likeness(a) || distance(a) - distance(b))
  return best ?? null
}

/** Writes comments of an earlier text into this one. Those whose code is gone come first, with what they were about. */
export function withComments(text: ReviewText, comments: readonly ReviewComment[]): string[] {
  const top = Math.max(
    text.places.findIndex(place => place !== null),
    linesAtEnds,
  )
  const below = new Map<number, string[]>()
  for (const comment of comments) {
    const index = findAgain(comment, text)
    const written = index === null ? aboutGone(comment) : comment.text
    const at = index ?? top - 1
    below.set(at, [...(below.get(at) ?? []), ...(below.has(at) ? [''] : []), ...written.split('\n')])
  }
  return text.lines.flatMap((line, index) => [line, ...(below.get(index) ?? [])])
}

function aboutGone({ place, text }: ReviewComment): string {
  if (place === null) return text
  const code = isCode(place) ? `: ${place.code.slice(1).trim()}` : ''
  return `${nameOfPlace(place)}, which has changed since${code}\n${text}`
}

/** `src/login.ts:12` */
export function nameOfPlace(place: PatchLine): string {
  return isCode(place) ? `${place.path}:${place.line}` : place.path
}
