import { domainToASCII } from 'node:url'
import { matches } from './glob.ts'
import { judge, noRule } from './judge-rules.ts'
import type { Judgement, Situation } from './rule.ts'

/** Host and path are compared apart, so that no `*` meant for one reaches into the other. */
export function judgeUrl(situation: Situation, given: string): Judgement {
  const url = URL.canParse(given) ? new URL(given) : null
  if (url) url.hostname = withoutDot(url.hostname)
  const spellings = [given, url?.href ?? given, url ? url.host + url.pathname + url.search : given]
  return judge(situation, situation.request.tool, {
    text: given,
    isMeant: pattern =>
      spellings.some(text => matches(pattern.toLowerCase(), text.toLowerCase())) ||
      (url !== null && alternatives(url).some(same => covers(pattern, same))),
    mayBeMeant: () => url === null,
    notCovered(pattern) {
      if (!url || !/^https?:$/.test(url.protocol)) return 'not an address that can be read'
      if (url.username || url.password) return 'the address carries a user name'
      return covers(pattern, url) ? null : noRule
    },
  })
}

interface Address {
  protocol: string
  host: string
  pathname: string
  search: string
}

/** For denying: Claude turns http into https, a server has many ports, and `//%61` is `/a`. */
function alternatives({ protocol, host, hostname, pathname, search }: URL): Address[] {
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

/** `evil.example.` is `evil.example`. */
function withoutDot(host: string): string {
  return host.replace(/\.+(?=:\d+$|$)/, '')
}

/** As an address is compared: `bücher.example` is `xn--bcher-kva.example`. */
function inAscii(host: string): string {
  return host.replace(/[^.:*?\\]*[^\p{ASCII}.:*?\\][^.:*?\\]*/gu, label => domainToASCII(label) || label)
}

/** `https://docs.rs/*`, or without the scheme `docs.rs/*`; a host alone stands for all of its pages. */
function covers(pattern: string, url: Address): boolean {
  const [, scheme, host = '', path] = /^(?:([a-z]+):\/\/)?([^/]*)(\/.*)?$/i.exec(pattern.trim()) ?? []
  if (scheme && `${scheme.toLowerCase()}:` !== url.protocol) return false
  if (!matches(inAscii(withoutDot(host.toLowerCase())), url.host)) return false
  return path === undefined || matches(path, url.pathname + url.search)
}
