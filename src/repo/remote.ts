import type { Source } from './reference.ts'
import { refuse } from './refusal.ts'
import { localHost, makeRepoId, type RepoId, safeSegmentFrom, segmentProblem } from './repo-id.ts'

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
