import type { Rule } from './rule.ts'

const ruleWithoutEffect: Rule = { tool: '-', decision: 'allow' }

/**
 * The rules for missions on a repo; null stands for a blank mission. Others are replaced, so that indexes stay valid. An
 * agent hands on only what it may do itself: `agentRepos` are the repos of the agents that led to the mission. A rule
 * that allows has to apply to all of them, and a rule that restricts to one.
 */
export function rulesForRepo(
  rules: readonly Rule[],
  repo: string | null,
  agentRepos: readonly (string | null)[] = [],
): Rule[] {
  const repos = [repo, ...agentRepos]
  const applies = (rule: Rule) => {
    if (rule.repo === undefined) return true
    return rule.decision === 'allow' ? repos.every(one => one === rule.repo) : repos.includes(rule.repo)
  }
  return rules.map(rule => (applies(rule) ? rule : ruleWithoutEffect))
}
