import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decide } from '../../src/approvals/decide.ts'
import type { Rule } from '../../src/approvals/rule.ts'
import type { Approve } from '../../src/config/approve-modes.ts'
import { allowed } from './approvals-command-tables.ts'

const dir = '/mission/agent'
const everyday: Rule[] = ['git *', 'ls', 'ls *', 'npm test'].map(match => ({
  tool: 'Bash',
  match,
  decision: 'allow',
}))

function decision(command: string, rules = everyday, mode: Approve = 'rules') {
  return decide({ tool: 'Bash', input: { command }, dir, cwd: dir }, rules, mode, path => path).decision
}

/** Runs allowed commands in a real bash where only git, ls and npm exist, and those only log their arguments. */
describe('a real bash does no more than the rules allow', () => {
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

  test('for every allowed command of the table', () => {
    for (const command of allowed.filter(text => !/while|git diff --quiet; do/.test(text))) check(command)
  })

  test('for random commands', () => {
    fc.assert(
      fc.property(commands, command => {
        if (/\b(?:while|until)\b/.test(command)) return
        if (decision(command) === 'allow') check(command)
      }),
      { numRuns: Number(process.env.APPROVALS_RUNS ?? 600) },
    )
  })

  test('and with approve mode all never pushes while a rule denies git push', () => {
    const noPush: Rule[] = [{ tool: 'Bash', match: 'git push*', decision: 'deny' }]
    const pieces = [
      ...[
        'git',
        'git ',
        ' push',
        'push',
        'pu',
        'sh',
        'g',
        'it',
        'echo ',
        'x=',
        '$x',
        '"$x"',
        'y=$x',
        'eval ',
        'x=push',
      ],
      ...[
        "'",
        '"',
        '\\',
        '\\\n',
        ' ',
        ' ',
        ' ',
        ';',
        '|',
        '&&',
        '\n',
        '$(',
        ')',
        '`',
        '{',
        ',',
        '}',
        '{git,push}',
        "$'",
        '<<<',
      ],
      ...[
        'command ',
        'env ',
        'exec ',
        '-P ',
        '--no-pager ',
        '-c a=b ',
        'time ',
        '! ',
        'A=b ',
        '>f ',
        '2>&1 ',
        '(',
        '*',
        '?',
        '=',
      ],
    ]
    const attempts = fc
      .array(fc.constantFrom(...pieces), { minLength: 2, maxLength: 9 })
      .map(chosen => chosen.join(''))
      .filter(command => command.includes('g') && command.includes('sh'))
    fc.assert(
      fc.property(attempts, command => {
        if (decision(command, noPush, 'all') !== 'allow') return
        for (const program of run(command).programs) {
          expect(program, command).not.toMatch(/^git (?:(?:-P|--no-pager|-c a=b) )*push/)
        }
      }),
      { numRuns: Number(process.env.APPROVALS_RUNS ?? 600) },
    )
  })
})
