import { fileURLToPath } from 'node:url'
import { type AgencError, usageError } from '../errors.ts'
import { cleanText, truncate } from '../io/text.ts'

/** `github.com/owner/name`, or `local/<parent>/<name>`: also the repo's path in the library. */
export type RepoId = string & { readonly brand: 'RepoId' }

/** `owner/name` for GitHub, the full id for any other host. */
export function displayRepo(id: string): string {
  return cleanText(id.replace(/^github\.com\//, ''))
}

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

const shownColumns = 80
const accepted = 'Give owner/name (GitHub), a git URL, or the path of a local repo such as ./name.'

/** The words of the user come back cleaned and cut, and never with a password. */
export function refuse(text: string, reason: string, hint: string = accepted): AgencError {
  return usageError(`cannot take ${JSON.stringify(shown(text))} as a repo: ${reason}`, hint)
}

export function withoutSecrets(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^/\s]*@/gi, '$1')
}

function shown(text: string): string {
  return truncate(cleanText(withoutSecrets(text)), shownColumns)
}

/** Where a repo is known, and where its commits come from. */
export interface Source {
  id: RepoId
  /** The real remote: what a working copy calls `origin`. Never holds a password. */
  url: string
  /** What the library fetches from: the same, except for local paths and URLs with a password. */
  fetchUrl: string
}

export type Reference = { kind: 'path'; path: string } | ({ kind: 'remote' } & Source)

const longestReference = 2_000
const pathStart = /^(?:\/|\.{1,2}(?:\/|$)|~(?:\/|$))/
const controlCharacter = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const transportHelper = /^[A-Za-z0-9][A-Za-z0-9+.-]*::/

/** What a user typed, told apart without looking at the disk. Refuses what could be meant for git's option parser. */
export function parseReference(text: string): Reference {
  if (text === '') throw refuse(text, 'it is empty')
  if (text.length > longestReference) throw refuse(text, 'it is too long')
  if (controlCharacter.test(text)) throw refuse(text, 'it has control characters in it')
  if (text.startsWith('-')) throw refuse(text, 'it starts with a dash, as an option does')
  if (transportHelper.test(text)) {
    throw refuse(text, 'a <transport>:: address makes git run another program')
  }
  if (/^file:\/\//i.test(text)) return { kind: 'path', path: pathOfFileUrl(text) }
  if (pathStart.test(text)) return { kind: 'path', path: text }
  return { kind: 'remote', ...parseRemote(text) }
}

function pathOfFileUrl(text: string): string {
  let path = ''
  try {
    path = fileURLToPath(text)
  } catch {
    throw refuse(text, 'it is not the address of a directory on this machine')
  }
  if (controlCharacter.test(path)) throw refuse(text, 'it has control characters in it')
  return path
}

const gitHub = 'github.com'
const defaultPorts: Record<string, string> = { https: '443', http: '80', ssh: '22', git: '9418' }
const schemes = new Set(['https', 'http', 'ssh', 'git', 'git+ssh', 'ssh+git'])

const urlForm = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(?:([^/]*)@)?(\[[^\]/]*\]|[^/:@]*)(?::(\d*))?(\/.*)?$/
const scpForm = /^(?:([^/:@]*)@)?(\[[^\]/]*\]|[^/:@]+):(.+)$/
const hostForm = /^[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?$/
const userForm = /^[A-Za-z0-9_][A-Za-z0-9._+~-]*$/

/** `owner/name`, `host/owner/name`, any git URL, or ssh's `user@host:path`. */
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
    throw refuse(text, 'its user name is not one')
  const known = port && port !== defaultPorts[protocol.replace(/^git\+|\+git$/, '')] ? port : undefined
  const id = identify(text, host, known, path.replace(/^\//, ''))
  const url = isWeb && userInfo !== undefined ? text.replace(`${userInfo}@`, () => '') : text
  return { id, url, fetchUrl: text }
}

function fromScp(text: string): Source {
  const [, user, host = '', path = ''] = scpForm.exec(text) ?? []
  if (user !== undefined && !userForm.test(user)) throw refuse(text, 'its user name is not one')
  return { id: identify(text, host, undefined, path.replace(/^\//, '')), url: text, fetchUrl: text }
}

function fromShorthand(text: string): Source {
  const [first = '', ...rest] = text.split('/')
  if (rest.length === 1) return shorthandSource(text, gitHub, text)
  if (rest.length > 1 && first.includes('.')) return shorthandSource(text, first, rest.join('/'))
  if (first === localHost) throw refuse(text, 'a local repo is added by its path')
  throw refuse(text, rest.length === 0 ? 'it is a name alone' : 'it names no host')
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
    throw refuse(text, 'its host is not a host name')
  if (name === localHost) throw refuse(text, `"${localHost}" stands for repos on this machine`)
  if (name === `www.${gitHub}`) return gitHub
  return isAddress ? `ipv6-${name.slice(1, -1).replace(/[^0-9a-f.]/g, '-')}` : name
}

/** Checked both as written and as decoded: `%2e%2e` is `..` to a server. */
function pathSegments(text: string, path: string): string[] {
  if (/[?#\\]/.test(path)) throw refuse(text, 'its path has ?, # or \\ in it')
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

/** Odd letters are replaced in the id; what could change its meaning is not. */
function hostile(segment: string): string | undefined {
  return segmentProblem(segment.replace(/[^A-Za-z0-9._~+-]/g, '_'))
}

function decoded(text: string, piece: string): string {
  try {
    return decodeURIComponent(piece)
  } catch {
    throw refuse(text, 'its path has a broken % escape')
  }
}
