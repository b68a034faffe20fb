import { decide } from './decide.ts'
import type { Decision, Request, Rule } from './rule.ts'
import { rulesForRepo } from './rules-for-repo.ts'

/** A request from the record. */
export interface PastRequest extends Request {
  /** The repo of its mission; null for a blank mission. */
  repo: string | null
}

export interface Match<R extends PastRequest> {
  request: R
  /** The decision of all rules together. */
  decision: Decision
}

/**
 * The requests that a rule matches, or of whose commands it matches one. `rules` are all rules, this one included. They
 * decide as with `--approve rules`.
 */
export function effectOfRule<R extends PastRequest>(
  rule: Rule,
  rules: readonly Rule[],
  requests: readonly R[],
): Match<R>[] {
  return requests
    .filter(request => isMatchedBy(rule, request))
    .map(request => ({
      request,
      decision: decide(request, rulesForRepo(rules, request.repo), 'rules').decision,
    }))
}

function isMatchedBy(rule: Rule, request: PastRequest): boolean {
  const { rule: deciding, parts } = decide(request, rulesForRepo([rule], request.repo), 'rules')
  return deciding !== null || parts.some(part => part.rule !== null)
}
