/** A repo on a server with web pages. */
export interface HostedRepo {
  /** Without a port for ssh: its pages are elsewhere. */
  host: string
  /** `owner/name`, or more parts on GitLab. */
  path: string
}

const addressForms = [
  // http keeps its port, because its pages are at the same one.
  /^https?:\/\/(?:[^/@]*@)?(?<host>[^/@]+)\/(?<path>.+)$/i,
  /^(?:ssh|git\+ssh|git):\/\/(?:[^/@]*@)?(?<host>[^/:@]+)(?::\d+)?\/(?<path>.+)$/i,
  /^(?:[^/:@]+@)?(?<host>[^/:@]+):(?!\/\/)(?<path>[^:]+)$/,
]

/** Reads a git address. Returns null for a path on this machine. */
export function hostedRepo(url: string): HostedRepo | null {
  if (url.startsWith('/')) return null
  for (const form of addressForms) {
    const { host, path } = form.exec(url)?.groups ?? {}
    if (host === undefined || path === undefined) continue
    return { host: host.toLowerCase(), path: path.replace(/^\/+|\/+$/g, '').replace(/\.git$/i, '') }
  }
  return null
}

export function isGitHub({ host }: HostedRepo): boolean {
  return host === 'github.com' || /(^|\.)github\./.test(host)
}

/** The page on which a pull request for a branch can be opened. Null if the kind of server is not known. */
export function pullRequestAddress(url: string, branch: string, base: string | null): string | null {
  const repo = hostedRepo(url)
  if (repo === null) return null
  const scheme = /^http:/i.test(url) ? 'http' : 'https'
  const page = `${scheme}://${repo.host}/${escapedPath(repo.path)}`
  const word = encodeURIComponent(branch)
  if (isGitHub(repo)) return `${page}/pull/new/${escapedPath(branch)}`
  if (/gitlab/.test(repo.host)) return `${page}/-/merge_requests/new?merge_request%5Bsource_branch%5D=${word}`
  if (repo.host === 'bitbucket.org') return `${page}/pull-requests/new?source=${word}`
  if (repo.host === 'codeberg.org' || /gitea|forgejo/.test(repo.host))
    return `${page}/compare/${base === null ? '' : `${escapedPath(base)}...`}${escapedPath(branch)}`
  return null
}

function escapedPath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** The address of such a page in what the server said during a push. */
export function addressSaid(lines: readonly string[]): string | null {
  const addresses = lines.flatMap(line => line.match(/https?:\/\/[^\s<>"'\\]+/g) ?? [])
  return addresses.find(address => /pull|merge_request|\/compare\//.test(address)) ?? null
}
