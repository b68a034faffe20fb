import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decide } from '../../src/approvals/decide.ts'
import { couldMatch, matches, unknownText } from '../../src/approvals/glob.ts'
import type { ApprovalMode, Rule } from '../../src/approvals/rule.ts'
import { allowed, hostile } from './approvals-commands.ts'

const dir = '/mission/agent'
const everyday: Rule[] = ['git *', 'ls', 'ls *', 'npm test'].map(match => ({
  tool: 'Bash',
  match,
  decision: 'allow',
}))

function decision(command: string, rules = everyday, mode: ApprovalMode = 'rules') {
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

  test('one part that is not allowed spoils the whole, on either side', () => {
    fc.assert(
      fc.property(harmless, operator, harmful, (good, glue, bad) => {
        expect(decision(`${good}${glue}${bad}`)).toBe('ask')
        expect(decision(`${bad}${glue}${good}`)).toBe('ask')
      }),
      { numRuns: 500 },
    )
  })

  test('so does every attempt of the table', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...hostile.filter(text => !/^[\s#]/.test(text) && text !== '')),
        operator,
        (bad, glue) => {
          expect(decision(`ls${glue}${bad}`)).toBe('ask')
        },
      ),
      { numRuns: 500 },
    )
  })

  test('nested anywhere, too', () => {
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
      { numRuns: 500 },
    )
  })
})

test('never throws, whatever it is given', () => {
  const modes = fc.constantFrom<ApprovalMode>('ask', 'rules', 'all')
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
    { numRuns: 300 },
  )
})

test('a glob that covers a text could match it', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '*', '?', unknownText), maxLength: 12 })
  fc.assert(
    fc.property(text, text, (pattern, subject) => {
      if (matches(pattern, subject)) expect(couldMatch(pattern, subject)).toBe(true)
    }),
    { numRuns: 1000 },
  )
})

test('long input is decided as well', () => {
  expect(decision(`git add ${'x'.repeat(200_000)}`)).toBe('allow')
  expect(decision(`git add ${'x '.repeat(20_000)}`)).toBe('allow')
  expect(decision(`sudo ${'-x '.repeat(20_000)}`)).toBe('ask')
  expect(decision(`${'$('.repeat(3000)}id${')'.repeat(3000)}`)).toBe('ask')
  expect(decision(`ls ${'{a,b}'.repeat(200)}`)).toBe('allow')
  const slow: Rule[] = [{ tool: 'Bash', match: `ls ${'*a'.repeat(50)}b`, decision: 'deny' }]
  expect(decision(`ls ${'*a'.repeat(5000)}`, slow, 'all')).toBe('allow')
})

/** What the engine allows is run by a real bash in which only git, ls and npm exist, and those only write down their words. */
describe('a real bash does no more than was allowed', () => {
  let root: string
  let log: string

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'approvals-'))
    log = join(root, 'log')
    mkdirSync(join(root, 'bin'))
    for (const program of ['git', 'ls', 'npm']) {
      const path = join(root, 'bin', program)
      writeFileSync(path, `#!/bin/sh\nprintf '%s\\n' "${program} $*" >>'${log}'\n`)
      chmodSync(path, 0o700)
    }
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  function run(command: string): { programs: string[]; files: string[] } {
    const cwd = join(root, 'cwd')
    rmSync(cwd, { recursive: true, force: true })
    mkdirSync(cwd)
    writeFileSync(log, '')
    const missing = `command_not_found_handle() { echo "UNKNOWN $*" >>'${log}'; }\n`
    spawnSync('bash', ['-c', `${missing}${command}`], {
      cwd,
      env: { PATH: join(root, 'bin'), HOME: cwd },
      timeout: 5000,
      input: '',
    })
    return { programs: readFileSync(log, 'utf8').split('\n').filter(Boolean), files: readdirSync(cwd) }
  }

  const atoms = [
    ...[
      'git',
      'ls',
      'npm',
      'test',
      'status',
      'log',
      'id',
      'evil',
      'a',
      'x',
      '-c',
      '--output=f',
      'if',
      'then',
      'fi',
    ],
    ...[
      ';',
      '&',
      '|',
      '&&',
      '||',
      '\n',
      '\\\n',
      '(',
      ')',
      '{',
      '}',
      '#',
      '!',
      '=',
      '$',
      '`',
      '"',
      "'",
      '\\',
      '<',
      '>',
    ],
    ...[
      '$(',
      '${',
      '<(',
      '>(',
      '$((',
      '))',
      '<<',
      'EOF',
      '<<EOF\n',
      '\nEOF\n',
      "$'",
      '*',
      '?',
      '[',
      ']',
      '~',
      ',',
      '>&',
      '&>',
    ],
    ...[
      ' ',
      ' ',
      ' ',
      ' ',
      ' ',
      ' ',
      '\t',
      'x=1',
      'eval',
      'exec',
      'command',
      'time',
      'env',
      'do',
      'done',
      'for',
      'in',
      'esac',
    ],
  ]
  const start = fc.constantFrom('ls', 'ls ', 'git status', 'git log ', 'git ', '')
  const commands = fc
    .tuple(start, fc.array(fc.constantFrom(...atoms), { maxLength: 10 }))
    .map(([first, rest]) => first + rest.join(''))

  const check = (command: string) => {
    const { programs, files } = run(command)
    expect(files, command).toEqual([])
    for (const program of programs) expect(program, command).toMatch(/^(?:git(?! -c)|ls|npm test)/)
    for (const program of programs)
      if (program.startsWith('git')) expect(program, command).not.toContain('--output')
  }

  test('for every command of the table', () => {
    for (const command of allowed.filter(text => !/while|git diff --quiet; do/.test(text))) check(command)
  })

  test('for commands made at random', () => {
    fc.assert(
      fc.property(commands, command => {
        if (/\b(?:while|until)\b/.test(command)) return
        if (decision(command) === 'allow') check(command)
      }),
      { numRuns: Number(process.env.APPROVALS_RUNS ?? 1200) },
    )
  })
})
