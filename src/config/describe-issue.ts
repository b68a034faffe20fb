import type * as v from 'valibot'

const kinds: Record<string, string> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  Array: 'a list',
  Object: 'an object',
  '(string | Array)': 'text or a list of words',
}

/** What is wrong with a value, as a person would say it. */
export function describeIssue(issue: v.BaseIssue<unknown>): string {
  const { type, expected, received } = issue
  if (type === 'strict_object' && received === 'undefined') return 'is missing'
  if (type === 'min_length') return 'must not be empty'
  const wanted = wantedBy(type, expected)
  return wanted ? `must be ${wanted}, not ${kinds[received] ?? received}` : issue.message
}

function wantedBy(type: string, expected: string | null): string | undefined {
  if (type === 'picklist') return alternatives(expected ?? '')
  if (type === 'integer') return 'a whole number'
  if (type === 'min_value') return `at least ${expected?.replace('>=', '')}`
  return kinds[expected ?? '']
}

/** From valibot's `("ask" | "rules" | "all")`. */
function alternatives(expected: string): string {
  const words = expected.replace(/^\(|\)$/g, '').split(' | ')
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' or ')
}
