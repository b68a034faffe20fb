import picomatch from 'picomatch'
import type { Decision, ExplainedVerdict, Rule, Situation } from './rule.ts'

/** One command, path or URL, and how the `match` of a rule is compared with it. */
export interface Subject {
  text: string
  /** For deny and ask rules. Errs on the side of matching. */
  matchesLoosely(pattern: string): boolean
  /** True if it may contain or become what the pattern describes. */
  mightMatch(pattern: string): boolean
  /** For allow rules. Returns null if the pattern covers all of the subject, otherwise the reason it does not. */
  whyNotCovered(pattern: string): string | null
  /** Why it is asked in every mode. Only an allow rule that names it is an exception. */
  guard?: { reason: string; isNamedBy(pattern: string): boolean } | null
  /** Why it is allowed although no rule says so. */
  needsNoRule?: string | null
}

/** The names under which rules apply to a tool. A tool that works like Bash or Write obeys the rules for those. */
export interface ToolNames {
  restricting: readonly string[]
  allowing: readonly string[]
}

export const noRuleMatches = 'no rule matches it'

/** Counts from 1, as people do. */
function describeRule(rules: readonly Rule[], index: number): string {
  const { tool, match } = rules[index]!
  return `rule ${index + 1}: ${tool}${match === undefined ? '' : ` "${match}"`}`
}

/** Deny beats ask, and ask beats allow. The user is asked about anything that no rule matches. */
export function applyRules(situation: Situation, tools: ToolNames, subject: Subject): ExplainedVerdict {
  const { rules, mode } = situation
  const rulesThat = (decision: Decision) =>
    rulesFor(rules, decision === 'allow' ? tools.allowing : tools.restricting, decision)
  const matches = ([, rule]: [number, Rule]) => rule.match === undefined || subject.matchesLoosely(rule.match)
  const verdict = (decision: Decision, reason: string, rule: number | null = null): ExplainedVerdict => ({
    text: subject.text,
    decision,
    reason,
    rule,
  })

  const [denying] = rulesThat('deny').find(matches) ?? []
  if (denying !== undefined) return verdict('deny', `denied by ${describeRule(rules, denying)}`, denying)
  if (mode !== 'rules' && mode !== 'all') return verdict('ask', 'approvals are set to "ask"')
  const [asking] = rulesThat('ask').find(matches) ?? []
  if (asking !== undefined) return verdict('ask', `ask required by ${describeRule(rules, asking)}`, asking)
  const restricting = [...rulesThat('deny'), ...rulesThat('ask')]
  const [uncertain] = restricting.find(([, rule]) => subject.mightMatch(rule.match ?? '')) ?? []
  if (uncertain !== undefined)
    return verdict('ask', `it might turn out to match ${describeRule(rules, uncertain)}`)
  const { guard } = subject
  const isNamed =
    guard && rulesThat('allow').some(([, { match }]) => match !== undefined && guard.isNamedBy(match))
  if (guard && !isNamed) return verdict('ask', guard.reason)
  if (mode === 'all')
    return verdict('allow', 'approvals are set to "all", and no rule denies it or says to ask')

  if (subject.needsNoRule) return verdict('allow', subject.needsNoRule)

  let reason = noRuleMatches
  for (const [index, rule] of rulesThat('allow')) {
    const missing = rule.match === undefined ? null : subject.whyNotCovered(rule.match)
    if (missing === null) return verdict('allow', `allowed by ${describeRule(rules, index)}`, index)
    if (reason === noRuleMatches) reason = missing
  }
  return verdict('ask', reason)
}

function rulesFor(rules: readonly Rule[], tools: readonly string[], decision: Decision): [number, Rule][] {
  return [...rules.entries()].filter(
    ([, rule]) => rule.decision === decision && tools.some(tool => isForTool(rule, tool)),
  )
}

function isForTool(rule: Rule, tool: string): boolean {
  return rule.tool.split('|').some(name => name === tool || picomatch(name, { nonegate: true })(tool))
}
