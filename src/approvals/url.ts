import { matches } from './glob.ts'
import { judge, noRule } from './judge.ts'
import type { Judgement, Situation } from './rule.ts'

/** Host and path are compared apart, so that no `*` meant for one reaches into the other. */
export function judgeUrl(situation: Situation, given: string): Judgement {
  const url = URL.canParse(given) ? new URL(given) : null
  const spellings = [given, url?.href ?? given, url ? url.host + url.pathname + url.search : given]
  return judge(situation, situation.request.tool, {
    text: given,
    isMeant: pattern =>
      spellings.some(text => matches(pattern.toLowerCase(), text.toLowerCase())) ||
      (url !== null && covers(pattern, url)),
    mayBeMeant: () => url === null,
    notCovered(pattern) {
      if (!url || !/^https?:$/.test(url.protocol)) return 'not an address that can be read'
      if (url.username || url.password) return 'the address carries a user name'
      return covers(pattern, url) ? null : noRule
    },
  })
}

/** `https://docs.rs/*`, or without the scheme `docs.rs/*`; a host alone stands for all of its pages. */
function covers(pattern: string, url: URL): boolean {
  const [, scheme, host = '', path] = /^(?:([a-z]+):\/\/)?([^/]*)(\/.*)?$/i.exec(pattern.trim()) ?? []
  if (scheme && `${scheme.toLowerCase()}:` !== url.protocol) return false
  if (!matches(host.toLowerCase(), url.host)) return false
  return path === undefined || matches(path, url.pathname + url.search)
}
