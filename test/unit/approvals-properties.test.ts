import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decide } from '../../src/approvals/decide.ts'
import { couldMatch, matches, unknownText } from '../../src/approvals/glob.ts'
import type { Rule } from '../../src/approvals/rule.ts'
import { type Approve, approveModes } from '../../src/config/approve-modes.ts'
import { allowed, hostile } from './approvals-command-tables.ts'

const dir = '/mission/agent'
const everyday: Rule[] = ['git *', 'ls', 'ls *', 'npm test'].map(match => ({
  tool: 'Bash',
  match,
  decision: 'allow',
}))

function decision(command: string, rules = everyday, mode: Approve = 'rules') {
  return decide({ tool: 'Bash', input: { command }, dir, cwd: dir }, rules, mode, path => path).decision
}

const operators = [';', '&&', '||', '|', '|&', '&', '\n', ' ;\n', ' && \\\n', '; # x\n']

describe('joining commands', () => {
  const harmless = fc.constantFrom(
    ...allowed.filter(command => !command.includes('<<') && !/[#;]/.test(command)),
  )
  const harmful = fc.constantFrom(
    'id',
    'rm -rf x',
    'git -c a=b log',
    'ls > x',
    'A=b ls',
    '$x',
    'ls $((x))',
    'sudo ls',
  )
  const operator = fc.constantFrom(...operators)

  test('one part that is not allowed makes the whole command ask, in either order', () => {
    fc.assert(
      fc.property(harmless, operator, harmful, (good, glue, bad) => {
        expect(decision(`${good}${glue}${bad}`)).toBe('ask')
        expect(decision(`${bad}${glue}${good}`)).toBe('ask')
      }),
      { numRuns: 250 },
    )
  })

  test('so does every hostile command of the table', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...hostile.filter(text => !/^[\s#]/.test(text) && text !== '')),
        operator,
        (bad, glue) => {
          expect(decision(`ls${glue}${bad}`)).toBe('ask')
        },
      ),
      { numRuns: 250 },
    )
  })

  test('so does one that is nested anywhere', () => {
    const nest = fc.constantFrom(
      (inner: string) => `ls $(${inner})`,
      (inner: string) => `ls "$(${inner})"`,
      (inner: string) => `ls <(${inner})`,
      (inner: string) => `(${inner})`,
      (inner: string) => `{ ${inner}\n}`,
      (inner: string) => `if ${inner}\nthen ls; fi`,
      (inner: string) => `for f in a; do ${inner}\ndone`,
      (inner: string) => `ls <<EOF\n$(${inner})\nEOF`,
      (inner: string) => `ls \${x:-$(${inner})}`,
    )
    fc.assert(
      fc.property(nest, nest, harmful, (outer, inner, bad) => {
        expect(decision(outer(inner(bad)))).toBe('ask')
      }),
      { numRuns: 250 },
    )
  })
})

describe('wildcards', () => {
  const programs = [
    'git log',
    'sed -n',
    'npm run',
    'make',
    'sort',
    'rg',
    'find .',
    'pytest',
    'tar tf',
    'go test',
    'foo',
    'curl',
  ]
  const known = ['-n', '--stat', '-l', '-x', '1p', 'a.ts', 'test', '--']
  /** No program has these options, so nobody can know what they do. */
  const unheardOf = fc
    .tuple(
      fc.constantFrom('--', '-,', '--no-'),
      fc.stringMatching(/^zz[a-z]{2,8}$/),
      fc.constantFrom('', '=x', '=./x y', ' x'),
    )
    .map(parts => parts.join(''))

  test('no set of wildcard rules allows an option that nobody knows', () => {
    const patterns = fc.array(
      fc
        .tuple(fc.constantFrom(...programs, '*'), fc.constantFrom('*', ' *', ' * *', '?*'))
        .map(parts => parts.join('')),
      { minLength: 1, maxLength: 6 },
    )
    fc.assert(
      fc.property(
        fc.constantFrom(...programs),
        fc.array(fc.constantFrom(...known.slice(0, -1)), { maxLength: 3 }),
        unheardOf,
        patterns,
        (program, words, option, matches) => {
          const rules = matches.map((match): Rule => ({ tool: 'Bash', match, decision: 'allow' }))
          expect(decision([program, ...words, option].join(' '), rules)).toBe('ask')
        },
      ),
      { numRuns: 500 },
    )
  })

  test('another allow rule never turns an ask about a whole command into more than that rule covers', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...hostile),
        fc.constantFrom('git *', 'ls*', 'npm test', 'git log*'),
        (command, match) => {
          expect(decision(command, [...everyday, { tool: 'Bash', match, decision: 'allow' }])).toBe('ask')
        },
      ),
      { numRuns: 200 },
    )
  })
})

test('decide never throws, whatever the input', () => {
  const modes = fc.constantFrom(...approveModes)
  const rules = fc.array(
    fc.record({
      tool: fc.oneof(fc.constantFrom('Bash', '*', 'Write'), fc.string()),
      match: fc.option(fc.string(), { nil: undefined }),
      decision: fc.constantFrom('allow', 'deny', 'ask'),
    }),
    { maxLength: 4 },
  )
  fc.assert(
    fc.property(fc.anything(), fc.string({ unit: 'binary' }), rules, modes, (input, command, list, mode) => {
      for (const tool of ['Bash', 'Write', 'Glob', 'WebFetch', 'Other']) {
        for (const given of [input, { command, file_path: command, pattern: command, url: command }]) {
          const verdict = decide({ tool, input: given, dir, cwd: dir }, list as Rule[], mode, path => path)
          expect(['allow', 'deny', 'ask']).toContain(verdict.decision)
        }
      }
    }),
    { numRuns: 100 },
  )
})

test('if matches is true, couldMatch is true', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '*', '?', unknownText), maxLength: 12 })
  fc.assert(
    fc.property(text, text, (pattern, subject) => {
      if (matches(pattern, subject)) expect(couldMatch(pattern, subject)).toBe(true)
    }),
    { numRuns: 1000 },
  )
})

test('long input is decided correctly and in time', () => {
  expect(decision(`git add ${'x'.repeat(200_000)}`)).toBe('allow')
  expect(decision(`git add ${'x '.repeat(20_000)}`)).toBe('allow')
  expect(decision(`sudo ${'-x '.repeat(20_000)}`)).toBe('ask')
  expect(decision(`${'$('.repeat(3000)}id${')'.repeat(3000)}`)).toBe('ask')
  expect(decision(`ls ${'{a,b}'.repeat(200)}`)).toBe('ask')
  expect(decision(`ls "${'a\\\\"'.repeat(30_000)}`)).toBe('ask')
  expect(
    decision(`make ${'-j 4 '.repeat(20_000)}!`, [{ tool: 'Bash', match: 'make *', decision: 'allow' }]),
  ).toBe('ask')
  expect(decision(`bash -c "${'git status; '.repeat(8000)}"`, [], 'all')).toBe('allow')
  expect(decision('cd a; '.repeat(8000), [], 'all')).toBe('ask')
  expect(decision(`awk '${'{'.repeat(50_000)}'`, [{ tool: 'Bash', match: 'awk *', decision: 'allow' }])).toBe(
    'ask',
  )
  expect(decision(`sed -n '${'s/a/b/;'.repeat(6000)}'`, [], 'all')).toBe('allow')
  expect(decision(`foo "$x${'/'.repeat(50_000)}"`, [], 'all')).toBe('allow')
  const inDir: Rule[] = [{ tool: 'Bash', match: 'ls {dir}/*', decision: 'allow' }]
  expect(decision(`ls ${dir}/x ${'a,'.repeat(100)}`, inDir)).toBe('allow')
  expect(decision(`ls ${dir}/x ${'a,'.repeat(100_000)}`, inDir)).toBe('ask')
  expect(decision(`ls ${dir}/x ${'a '.repeat(20_000)}`, inDir)).toBe('ask')
  const slow: Rule[] = [{ tool: 'Bash', match: `ls ${'*a'.repeat(50)}b`, decision: 'deny' }]
  expect(decision(`ls ${'*a'.repeat(5000)}`, slow, 'all')).toBe('allow')
})
