import type { Decision, Judgement, Rule, Situation } from './rule.ts'
import { isFor } from './tool.ts'

/** How rules with a `match` meet one thing that is to be decided. */
export interface Subject {
  text: string
  /** Generous: for deny and ask. */
  isMeant(pattern: string): boolean
  /** It may turn out to be meant once the shell has run. */
  mayBeMeant(pattern: string): boolean
  /** Strict: null when the pattern covers all of it, otherwise the reason why not. */
  notCovered(pattern: string): string | null
  /** Does nothing by itself: needs no rule, though one may deny it. */
  free?: boolean
}

export const noRule = 'no rule names it'

export const fear = (rule: number) => `it may turn out to be what rule ${rule} is about`

/** Deny beats ask beats allow; what no rule names is asked. */
export function judge(situation: Situation, tool: string, subject: Subject): Judgement {
  const { rules, mode } = situation
  const of = (decision: Decision) => rulesFor(rules, tool, decision)
  const meant = (rule: Rule) => rule.match === undefined || subject.isMeant(rule.match)
  const verdict = (decision: Decision, reason: string, rule: number | null = null): Judgement => ({
    text: subject.text,
    decision,
    reason,
    rule,
  })

  const denied = of('deny').find(([, rule]) => meant(rule))
  if (denied) return verdict('deny', `rule ${denied[0]} denies it`, denied[0])
  if (mode !== 'rules' && mode !== 'all') return verdict('ask', 'approvals are set to ask')
  const asked = of('ask').find(([, rule]) => meant(rule))
  if (asked) return verdict('ask', `rule ${asked[0]} asks`, asked[0])
  const feared = [...of('deny'), ...of('ask')].find(([, rule]) => subject.mayBeMeant(rule.match ?? ''))
  if (feared) return verdict('ask', fear(feared[0]))
  if (mode === 'all') return verdict('allow', 'everything is allowed that no rule denies or asks')

  if (subject.free) return verdict('allow', 'it does nothing by itself')
  let why = noRule
  for (const [at, rule] of of('allow')) {
    const missing = rule.match === undefined ? null : subject.notCovered(rule.match)
    if (missing === null) return verdict('allow', `rule ${at} allows it`, at)
    if (why === noRule) why = missing
  }
  return verdict('ask', why)
}

function rulesFor(rules: readonly Rule[], tool: string, decision: Decision): [number, Rule][] {
  return [...rules.entries()].filter(([, rule]) => rule.decision === decision && isFor(rule, tool))
}
