import { fileURLToPath } from 'node:url'
import { type AgencError, usageError } from '../errors.ts'
import { cleanText, truncate } from '../io/text.ts'

/** `github.com/owner/name`, or `local/<parent>/<name>`. It is also the repo's path in the library. */
export type RepoId = string & { readonly brand: 'RepoId' }

/** `owner/name` for GitHub, the full id for any other host. */
export function displayRepo(id: string): string {
  return cleanText(id.replace(/^github\.com\//, ''))
}

export const localHost = 'local'
const longestSegment = 100
const longestId = 300
const safeSegment = /^[A-Za-z0-9._~+-]+$/
/** Names that git, or a file system with short names, takes for git's own directory. */
const gitDirectory = /^(\.git|git~\d+)$/i

/** The reason why a part of an address cannot be a directory of the library. Returns undefined if it can. */
export function segmentProblem(segment: string): string | undefined {
  if (segment === '') return 'a part of its path is empty'
  if (segment === '.' || segment === '..') return `its path contains "${segment}"`
  if (segment.startsWith('-')) return 'a part of its path starts with a dash'
  if (gitDirectory.test(segment)) return `a part of its path is ${segment}`
  if (segment.length > longestSegment) return `a part of its path is longer than ${longestSegment} characters`
  return safeSegment.test(segment) ? undefined : 'its path has characters that are unsafe in file names'
}

/** Throws if a segment has a problem. This is the last line of defence: nothing unsafe becomes an id. */
export function makeRepoId(segments: readonly string[]): RepoId {
  const id = segments.join('/')
  const problem = id.length > longestId ? `it is longer than ${longestId} characters` : firstProblem(segments)
  if (problem) throw new RangeError(problem)
  return id as RepoId
}

function firstProblem(segments: readonly string[]): string | undefined {
  if (segments.length < 3) return 'it does not name a repo'
  return segments.map(segmentProblem).find(problem => problem !== undefined)
}

/** Turns the name of a directory into a safe part of an id: `My Projects` becomes `My-Projects`. */
export function safeSegmentFrom(text: string): string {
  const safe = text
    .replace(/[^A-Za-z0-9._~+-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, longestSegment)
  return segmentProblem(safe) === undefined ? safe : '_'
}

const shownColumns = 80
const accepted = 'Use owner/name (GitHub), a git URL, or the path of a local repo such as ./name.'

/** Quotes the user's text without control characters and passwords, and truncated. */
export function refuse(text: string, reason: string, hint: string = accepted): AgencError {
  return usageError(`${quote(text)} is not a repo: ${reason}`, hint)
}

export function withoutSecrets(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^/\s]*@/gi, '$1')
}

function quote(text: string): string {
  return JSON.stringify(truncate(cleanText(withoutSecrets(text)), shownColumns))
}

/** A repo's id, and where its commits come from. */
export interface Source {
  id: RepoId
  /** The real remote, which becomes `origin` in a working copy. Never contains a password. */
  url: string
  /** The address that the library fetches from. Differs from `url` for local paths and for URLs with a password. */
  fetchUrl: string
}

export type Reference = { kind: 'path'; path: string } | ({ kind: 'remote' } & Source)

const longestReference = 2_000
const pathStart = /^(?:\/|\.{1,2}(?:\/|$)|~(?:\/|$))/

/** Whether a user meant a path, and not a name or a URL. */
export function looksLikePath(text: string): boolean {
  return /^file:\/\//i.test(text) || pathStart.test(text)
}

const controlCharacter = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const transportHelper = /^[A-Za-z0-9][A-Za-z0-9+.-]*::/

/** Parses what a user typed, without looking at the disk. Refuses text that git could take for an option. */
export function parseReference(text: string): Reference {
  if (text === '') throw refuse(text, 'it is empty')
  if (text.length > longestReference) throw refuse(text, 'it is too long')
  if (controlCharacter.test(text)) throw refuse(text, 'it contains control characters')
  if (text.startsWith('-')) throw refuse(text, 'it starts with a dash, like an option')
  if (transportHelper.test(text)) {
    throw refuse(text, 'a <transport>:: address makes git run another program')
  }
  if (looksLikePath(text)) return { kind: 'path', path: pathStart.test(text) ? text : pathOfFileUrl(text) }
  return { kind: 'remote', ...parseRemote(text) }
}

function pathOfFileUrl(text: string): string {
  let path = ''
  try {
    path = fileURLToPath(text)
  } catch {
    throw refuse(text, 'it is not the URL of a directory on this machine')
  }
  if (controlCharacter.test(path)) throw refuse(text, 'it contains control characters')
  return path
}

const gitHub = 'github.com'
const defaultPorts: Record<string, string> = { https: '443', http: '80', ssh: '22', git: '9418' }
const schemes = new Set(['https', 'http', 'ssh', 'git', 'git+ssh', 'ssh+git'])

const urlForm = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(?:([^/]*)@)?(\[[^\]/]*\]|[^/:@]*)(?::(\d*))?(\/.*)?$/
const scpForm = /^(?:([^/:@]*)@)?(\[[^\]/]*\]|[^/:@]+):(.+)$/
const hostForm = /^[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?$/
const userForm = /^[A-Za-z0-9_][A-Za-z0-9._+~-]*$/

/** Takes `owner/name`, `host/owner/name`, any git URL, or ssh's `user@host:path`. */
export function parseRemote(text: string): Source {
  if (text.includes('://')) return fromUrl(text)
  if (/^[^/]*:/.test(text)) return fromScp(text)
  return fromShorthand(text)
}

function fromUrl(text: string): Source {
  const [, scheme = '', userInfo, host = '', port, path = ''] = urlForm.exec(text) ?? []
  const protocol = scheme.toLowerCase()
  if (!schemes.has(protocol))
    throw refuse(text, `git addresses start with ${[...schemes].slice(0, 4).join('://, ')}://`)
  const isWeb = protocol === 'https' || protocol === 'http'
  if (userInfo !== undefined && !isWeb && !userForm.test(userInfo))
    throw refuse(text, 'its user name is not valid')
  const known = port && port !== defaultPorts[protocol.replace(/^git\+|\+git$/, '')] ? port : undefined
  const id = identify(text, host, known, path.replace(/^\//, ''))
  const url = isWeb && userInfo !== undefined ? text.replace(`${userInfo}@`, () => '') : text
  return { id, url, fetchUrl: text }
}

function fromScp(text: string): Source {
  const [, user, host = '', path = ''] = scpForm.exec(text) ?? []
  if (user !== undefined && !userForm.test(user)) throw refuse(text, 'its user name is not valid')
  return { id: identify(text, host, undefined, path.replace(/^\//, '')), url: text, fetchUrl: text }
}

function fromShorthand(text: string): Source {
  const [first = '', ...rest] = text.split('/')
  if (rest.length === 1) return shorthandSource(text, gitHub, text)
  if (rest.length > 1 && first.includes('.')) return shorthandSource(text, first, rest.join('/'))
  if (first === localHost) throw refuse(text, 'add a local repo by its path')
  if (rest.length === 0)
    throw usageError(
      `${quote(text)} is ambiguous; did you mean ${quote(`./${text}`).slice(1, -1)}?`,
      accepted,
    )
  throw refuse(text, 'it does not name a host')
}

function shorthandSource(text: string, host: string, path: string): Source {
  const segments = path.replace(/\/$/, '').split('/')
  for (const segment of segments) {
    const problem = segmentProblem(segment)
    if (problem) throw refuse(text, problem)
  }
  const id = identify(text, host, undefined, path)
  const url = `https://${host.toLowerCase()}/${segments.join('/').replace(/\.git$/i, '')}.git`
  return { id, url, fetchUrl: url }
}

function identify(text: string, host: string, port: string | undefined, path: string): RepoId {
  const hostSegment = hostName(text, host) + (port ? `-${port}` : '')
  const segments = pathSegments(text, path)
  if (hostSegment === gitHub && segments.length !== 2) {
    throw refuse(text, 'a repo on GitHub is https://github.com/owner/name')
  }
  try {
    return makeRepoId([hostSegment, ...(segments.length === 1 ? ['_'] : []), ...segments])
  } catch (error) {
    throw refuse(text, (error as Error).message)
  }
}

function hostName(text: string, host: string): string {
  const name = host.toLowerCase()
  const isAddress = /^\[[0-9a-f:.%]+\]$/.test(name)
  if (!isAddress && !(hostForm.test(name) && !name.includes('..')))
    throw refuse(text, 'its host name is not valid')
  if (name === localHost) throw refuse(text, `"${localHost}" stands for repos on this machine`)
  if (name === `www.${gitHub}`) return gitHub
  return isAddress ? `ipv6-${name.slice(1, -1).replace(/[^0-9a-f.]/g, '-')}` : name
}

/** Checks the path both as written and decoded, because a server reads `%2e%2e` as `..`. */
function pathSegments(text: string, path: string): string[] {
  if (/[?#\\]/.test(path)) throw refuse(text, 'its path contains ?, # or \\')
  const segments = path
    .replace(/\/$/, '')
    .replace(/\.git$/i, '')
    .split('/')
    .map(piece => decoded(text, piece))
  for (const segment of segments) {
    const problem = /[/\\\p{Cc}]/u.test(segment)
      ? 'its path hides a slash or a control character'
      : hostile(segment)
    if (problem) throw refuse(text, problem)
  }
  return segments.map(safeSegmentFrom)
}

/** Unusual characters are replaced in the id, but characters that could change its meaning are refused. */
function hostile(segment: string): string | undefined {
  return segmentProblem(segment.replace(/[^A-Za-z0-9._~+-]/g, '_'))
}

function decoded(text: string, piece: string): string {
  try {
    return decodeURIComponent(piece)
  } catch {
    throw refuse(text, 'its path has an invalid % escape')
  }
}
