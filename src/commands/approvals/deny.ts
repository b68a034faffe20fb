import { writeRuleCommand } from './write-rule.ts'

export default writeRuleCommand('deny', [
  'agenc approvals deny "git push*"',
  'agenc approvals deny --tool WebFetch "https://example.com/*"',
])
