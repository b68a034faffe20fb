import type { Rule } from '../../src/approvals/rule.ts'

/** Programs that these rules allow only for reading. Nothing may change on the disk because of them. */
const readers = [
  'ls*',
  'cat *',
  'head *',
  'tail *',
  'wc *',
  'sort *',
  'uniq *',
  'cut *',
  'tr *',
  'grep *',
  'rg *',
  'sed -n *',
  'awk *',
  'jq *',
  'find *',
  'fd *',
  'file *',
  'diff *',
  'date *',
  'less *',
  'tree *',
  'xxd *',
  'column *',
  'basename *',
  'realpath *',
  'pwd',
  'cd *',
  'which *',
  'echo *',
  'printf *',
  'test *',
  '[ *',
  'true',
  'git status*',
  'git log *',
  'git diff*',
  'git show *',
  'git branch *',
  'git grep *',
  'git blame *',
  'git ls-files *',
  'git rev-parse *',
]

/** Programs that write to the disk, or run what is in the repo. */
const writers = [
  'git add *',
  'git commit *',
  'git stash *',
  'git fetch *',
  'npm run *',
  'make *',
  'tar *',
  'mkdir *',
  'cp *',
  'mv *',
  'ln *',
  'tee *',
  'git config *',
]

export const wildcardPatterns: readonly string[] = [...readers, ...writers]

export const wildcardRules: readonly Rule[] = wildcardPatterns.map(match => ({
  tool: 'Bash',
  match,
  decision: 'allow',
}))

const writesAnywhere = /^(?:cp|ln|mv|tee|tar|mkdir) /

/** Only redirections may write with these rules, and only below the mission's directory. */
export const writeRules: readonly Rule[] = [
  ...wildcardRules.filter(({ match = '' }) => !writesAnywhere.test(match)),
  { tool: 'Edit|Write', match: '{dir}/**', decision: 'allow' },
]

export const denyPush: readonly Rule[] = [{ tool: 'Bash', match: 'git push*', decision: 'deny' }]

function expressionFor(pattern: string): RegExp {
  const hasOptionalEnd = pattern.endsWith(' *')
  const start = hasOptionalEnd ? pattern.slice(0, -2) : pattern
  const escaped = start.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^]*')
  return new RegExp(`^${escaped}${hasOptionalEnd ? '(?: [^]*)?' : ''}$`)
}

const readerExpressions = readers.map(expressionFor)
const writerExpressions = writers.map(expressionFor)

/** Says what the rules let these words do. Written apart from the matching in src/approvals, to check it. */
export function rightsOf(words: readonly string[]): 'read' | 'write' | null {
  const text = words.join(' ')
  if (readerExpressions.some(expression => expression.test(text))) return 'read'
  return writerExpressions.some(expression => expression.test(text)) ? 'write' : null
}
