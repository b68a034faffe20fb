import { cleanText } from '../io/text.ts'
import type { Rule } from './rule.ts'

/** A rule in one line: `allow Bash "git status*" on github.com/owner/name`. */
export function ruleText({ decision, tool, match, repo }: Rule): string {
  const matched = match === undefined ? '' : ` "${match}"`
  return cleanText(`${decision} ${tool}${matched}${repo === undefined ? '' : ` on ${repo}`}`)
}
