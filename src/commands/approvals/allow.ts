import { writeRuleCommand } from './write-rule.ts'

export default writeRuleCommand('allow', [
  'agenc approvals allow "git status*"',
  'agenc approvals allow --tool Write "{dir}/**" --repo owner/name',
])
