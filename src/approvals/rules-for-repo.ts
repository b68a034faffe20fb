import type { Rule } from './rule.ts'

const ruleWithoutEffect: Rule = { tool: '-', decision: 'allow' }

/** The rules for missions on a repo; null stands for a blank mission. Others are replaced, so that indexes stay valid. */
export function rulesForRepo(rules: readonly Rule[], repo: string | null): Rule[] {
  return rules.map(rule => (rule.repo === undefined || rule.repo === repo ? rule : ruleWithoutEffect))
}
