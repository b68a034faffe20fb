import { domainToASCII } from 'node:url'
import { applyRules, noRuleMatches } from './apply-rules.ts'
import { matches } from './glob.ts'
import type { ExplainedVerdict, Situation } from './rule.ts'
import { toolNames } from './tool-input.ts'

/** Compares host and path separately, so that a `*` meant for one cannot match text of the other. */
export function decideUrl(situation: Situation, given: string): ExplainedVerdict {
  const url = URL.canParse(given) ? new URL(given) : null
  if (url) url.hostname = withoutFinalDot(url.hostname)
  const spellings = [given, url?.href ?? given, url ? url.host + url.pathname + url.search : given]
  return applyRules(situation, toolNames(situation.request.tool), {
    text: given,
    matchesLoosely: pattern =>
      spellings.some(text => matches(pattern.toLowerCase(), text.toLowerCase())) ||
      (url !== null && equivalents(url).some(same => covers(pattern, same))),
    mightMatch: () => url === null,
    whyNotCovered(pattern) {
      if (!url || !/^https?:$/.test(url.protocol)) return 'it is not a URL of a web page'
      if (url.username || url.password) return 'the URL contains a user name or password'
      return covers(pattern, url) ? null : noRuleMatches
    },
  })
}

interface Address {
  protocol: string
  host: string
  pathname: string
  search: string
}

/** For deny rules: Claude turns http into https, a server can listen on many ports, and `//%61` is `/a`. */
function equivalents({ protocol, host, hostname, pathname, search }: URL): Address[] {
  const protocols = /^https?:$/.test(protocol) ? ['http:', 'https:'] : [protocol]
  return protocols.flatMap(scheme =>
    [host, hostname].flatMap(name =>
      [pathname, decoded(pathname)].map(path => ({ protocol: scheme, host: name, pathname: path, search })),
    ),
  )
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path).replace(/\/+/g, '/')
  } catch {
    return path
  }
}

/** `evil.example.` is the same host as `evil.example`. */
function withoutFinalDot(host: string): string {
  return host.replace(/\.+(?=:\d+$|$)/, '')
}

/** A parsed URL spells `bücher.example` as `xn--bcher-kva.example`, so patterns have to do the same. */
function inAscii(host: string): string {
  return host.replace(/[^.:*?\\]*[^\p{ASCII}.:*?\\][^.:*?\\]*/gu, label => domainToASCII(label) || label)
}

/** A pattern is `https://docs.rs/*`, or `docs.rs/*` without the scheme. A host alone covers all of its pages. */
function covers(pattern: string, url: Address): boolean {
  const [, scheme, host = '', path] = /^(?:([a-z]+):\/\/)?([^/]*)(\/.*)?$/i.exec(pattern.trim()) ?? []
  if (scheme && `${scheme.toLowerCase()}:` !== url.protocol) return false
  if (!matches(inAscii(withoutFinalDot(host.toLowerCase())), url.host)) return false
  return path === undefined || matches(path, url.pathname + url.search)
}
