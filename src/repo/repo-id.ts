/** `github.com/owner/name`, or `local/<parent>/<name>`: also the repo's path in the library. */
export type RepoId = string & { readonly brand: 'RepoId' }

export const localHost = 'local'
const longestSegment = 100
const longestId = 300
const safeSegment = /^[A-Za-z0-9._~+-]+$/
/** What git itself, or a file system that shortens names, takes for its own directory. */
const gitDirectory = /^(\.git|git~\d+)$/i

/** Why a piece of an address cannot be a directory of the library; undefined when it can. */
export function segmentProblem(segment: string): string | undefined {
  if (segment === '') return 'a part of its path is empty'
  if (segment === '.' || segment === '..') return `its path has a "${segment}" in it`
  if (segment.startsWith('-')) return 'a part of its path starts with a dash'
  if (gitDirectory.test(segment)) return `a part of its path is ${segment}`
  if (segment.length > longestSegment) return `a part of its path is longer than ${longestSegment} characters`
  return safeSegment.test(segment) ? undefined : 'its path has characters that are not safe in file names'
}

/** Throws what `segmentProblem` says, as a last line of defence: nothing unsafe ever becomes an id. */
export function makeRepoId(segments: readonly string[]): RepoId {
  const id = segments.join('/')
  const problem = id.length > longestId ? `it is longer than ${longestId} characters` : firstProblem(segments)
  if (problem) throw new RangeError(problem)
  return id as RepoId
}

function firstProblem(segments: readonly string[]): string | undefined {
  if (segments.length < 3) return 'it names no repo'
  return segments.map(segmentProblem).find(problem => problem !== undefined)
}

/** A directory's name as a safe piece of an id: `My Projects` becomes `My-Projects`. */
export function safeSegmentFrom(text: string): string {
  const safe = text
    .replace(/[^A-Za-z0-9._~+-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, longestSegment)
  return segmentProblem(safe) === undefined ? safe : '_'
}
