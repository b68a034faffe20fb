import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { parseArguments } from '../../stand-in/claude-arguments.ts'
import { isTrusted } from '../../stand-in/claude-files.ts'
import { dialogStep } from '../../stand-in/dialogs.ts'
import { commandsFor, permissionAnswer, preToolUseAnswer } from '../../stand-in/hooks.ts'
import { KeyParser } from '../../stand-in/keyboard-input.ts'
import { nextMode, type PermissionMode, permissionFor, suggestionsFor } from '../../stand-in/permissions.ts'
import { parseScript, spokenPart, turnOf } from '../../stand-in/script.ts'
import { statusOf } from '../../stand-in/session-status.ts'
import { textWidth, wrap } from '../../stand-in/text-layout.ts'

describe('the script in a prompt', () => {
  test('makes one turn per directive, joins turns with + and sets the pace with delay and stream', () => {
    expect(parseScript('Go. [[delay 5]] [[text hi]]+[[bash ls -l]] [[stream 2]] [[hang]]')).toEqual([
      {
        delayMs: 5,
        streamMs: 0,
        acts: [
          { kind: 'text', text: 'hi' },
          { kind: 'tool', name: 'Bash', input: { command: 'ls -l', description: 'Run a scripted command' } },
        ],
      },
      { delayMs: 0, streamMs: 2, acts: [{ kind: 'hang' }] },
    ])
  })

  test('contains tool calls, files to write and errors', () => {
    const acts = parseScript('[[write a|b|c]] [[tool X {"y":1}]] [[error 529 busy now]] [[tool X {bad]]')
    expect(acts.map(turn => turn.acts[0])).toEqual([
      { kind: 'tool', name: 'Write', input: { file_path: 'a', content: 'b|c' } },
      { kind: 'tool', name: 'X', input: { y: 1 } },
      { kind: 'error', status: 529, message: 'busy now' },
      { kind: 'text', text: expect.stringContaining('not valid JSON: {bad') },
    ])
  })

  test('is optional: a prompt without one is answered too', () => {
    expect(turnOf('Hello you', 0).acts).toEqual([{ kind: 'text', text: 'Gladly. You said: Hello you' }])
    expect(spokenPart('Hello [[text yes]]')).toBe('Hello')
  })
})

describe('keys', () => {
  const typed = '\u001b[200~a\rb\u001b[201~x\u001b[Z\u001b[<35;1;1M\u001b[I\u001b[?62c\u001b[99;5uy\r\u001b[A'
  const expected = ['paste:a\nb', 'text:x', 'shift-tab', 'ctrl-c', 'text:y', 'enter', 'up']
  const shown = (parser: KeyParser, chunk: string) =>
    parser.feed(chunk).map(key => ('text' in key ? `${key.name}:${key.text}` : key.name))

  test('include pastes and key combinations, but no mouse events or reports', () => {
    expect(shown(new KeyParser(), typed)).toEqual(expected)
  })

  test('are recognised wherever the input is split', () => {
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: typed.length - 1 }))
    fc.assert(
      fc.property(cuts, positions => {
        const parser = new KeyParser()
        const ends = [...positions.sort((a, b) => a - b), typed.length]
        expect(ends.flatMap((end, index) => shown(parser, typed.slice(ends[index - 1] ?? 0, end)))).toEqual(
          expected,
        )
      }),
    )
  })

  test('include Esc only if nothing follows it', () => {
    const parser = new KeyParser()
    expect(parser.feed('\u001b')).toEqual([])
    expect(parser.escapePending).toBe(true)
    expect(parser.flush()).toEqual([{ name: 'escape' }])
  })
})

describe('dialogs', () => {
  const dialog = {
    title: '',
    body: [],
    choices: [
      { label: 'Yes', value: 'yes' },
      { label: 'No', value: 'no' },
    ],
    hint: '',
    numbered: true,
    waitingFor: 'permission prompt' as const,
  }
  const open = { dialog, selected: 0, openedAt: 1_000 }

  test('ignore all keys at first, then take digits, arrows, Enter and Esc', () => {
    expect(dialogStep(open, { name: 'text', text: '1' }, 1_199)).toBeUndefined()
    expect(dialogStep(open, { name: 'text', text: '2' }, 1_200)).toEqual({ chosen: 'no' })
    expect(dialogStep(open, { name: 'text', text: '7' }, 1_200)).toBeUndefined()
    expect(dialogStep(open, { name: 'down' }, 1_200)).toEqual({ selected: 1 })
    expect(dialogStep(open, { name: 'enter' }, 1_200)).toEqual({ chosen: 'yes' })
    expect(dialogStep(open, { name: 'escape' }, 1_200)).toEqual({ cancelled: true })
  })

  test('take digits only if their choices are numbered', () => {
    const unnumbered = { ...open, dialog: { ...dialog, numbered: false } }
    expect(dialogStep(unnumbered, { name: 'text', text: '1' }, 2_000)).toBeUndefined()
  })
})

describe('permissions', () => {
  const bash = (command: string) => ({ id: 't', name: 'Bash', given: { command }, input: { command } })
  const rules = (mode: PermissionMode, allow: string[] = [], deny: string[] = []) => ({
    mode,
    cwd: '/w',
    allow,
    deny,
    planFile: '/p.md',
  })

  test.each([
    ['touch x', 'default', 'ask'],
    ['touch x', 'acceptEdits', 'allow'],
    ['touch /other/x', 'acceptEdits', 'ask'],
    ['echo hi; pwd', 'default', 'allow'],
    ['echo hi > x', 'default', 'ask'],
    ['touch x', 'dontAsk', 'deny'],
    ['touch x', 'bypassPermissions', 'allow'],
  ] as const)('%s in %s mode → %s', (command, mode, decision) => {
    expect(permissionFor(bash(command), rules(mode))).toBe(decision)
  })

  test('follow the rules of the command line', () => {
    expect(permissionFor(bash('git status'), rules('default', ['Bash(git *)']))).toBe('allow')
    expect(permissionFor(bash('gitk'), rules('default', ['Bash(git *)']))).toBe('ask')
    expect(permissionFor(bash('ls'), rules('bypassPermissions', [], ['Bash']))).toBe('deny')
  })

  test('come with suggestions that the user can accept', () => {
    expect(suggestionsFor(bash('npm test -- --watch'), '/w')).toEqual([
      {
        type: 'addRules',
        rules: [{ toolName: 'Bash', ruleContent: 'npm test *' }],
        behavior: 'allow',
        destination: 'localSettings',
      },
    ])
    expect(suggestionsFor(bash('touch /a/b'), '/w')?.[0]).toMatchObject({ directories: ['/a'] })
  })
})

describe('hooks', () => {
  const outcome = (stdout: object | string, exitCode = 0, stderr = '') => ({
    command: 'c',
    exitCode,
    stdout: typeof stdout === 'string' ? stdout : JSON.stringify(stdout),
    stderr,
  })
  const decides = (permissionDecision: string) => outcome({ hookSpecificOutput: { permissionDecision } })

  test('the strictest decision wins, and exit code 2 beats all', () => {
    expect(preToolUseAnswer([decides('allow'), decides('ask'), decides('deny')]).decision).toBe('deny')
    expect(preToolUseAnswer([decides('allow'), decides('ask')]).decision).toBe('ask')
    expect(preToolUseAnswer([decides('allow'), outcome('', 2, 'no')])).toEqual({
      decision: 'deny',
      reason: '[c]: no',
    })
    expect(preToolUseAnswer([outcome('not json'), outcome('{bad'), outcome('', 1)])).toEqual({
      decision: 'none',
    })
  })

  test('PermissionRequest hooks can deny with an interruption, or not answer', () => {
    const decision = { behavior: 'deny', message: 'no', interrupt: true }
    expect(permissionAnswer([outcome({ hookSpecificOutput: { decision } })])).toEqual(decision)
    expect(permissionAnswer([outcome('')])).toBeUndefined()
  })

  test('matchers select by tool name, and equal commands run once', () => {
    const matchers = [
      { matcher: 'Bash|Write', commands: [{ command: 'a' }] },
      { matcher: '', commands: [{ command: 'a' }, { command: 'b' }] },
      { matcher: 'Read', commands: [{ command: 'c' }] },
    ]
    expect(commandsFor(matchers, 'Write').map(({ command }) => command)).toEqual(['a', 'b'])
    expect(commandsFor(matchers, 'WriteX').map(({ command }) => command)).toEqual(['a', 'b'])
    expect(commandsFor(matchers, 'Read').map(({ command }) => command)).toEqual(['a', 'b', 'c'])
  })
})

describe('trust', () => {
  const root = mkdtempSync(join(tmpdir(), 'agenc-trust-'))
  afterAll(() => rmSync(root, { recursive: true, force: true }))
  const json = { projects: { [root]: { hasTrustDialogAccepted: true } } }

  test('covers subdirectories, but not a repository below', () => {
    mkdirSync(join(root, 'plain', 'deep'), { recursive: true })
    mkdirSync(join(root, 'repo', '.git'), { recursive: true })
    expect(isTrusted(json, join(root, 'plain', 'deep'))).toBe(true)
    expect(isTrusted(json, join(root, 'repo'))).toBe(false)
    expect(isTrusted(json, join(root, 'repo', 'sub'))).toBe(false)
    expect(isTrusted({}, root)).toBe(false)
  })
})

describe('other parts', () => {
  test('the status names the most urgent activity', () => {
    const idle = { busy: false, subagents: 0, shells: 0 }
    expect(statusOf(idle)).toEqual({ status: 'idle' })
    expect(statusOf({ ...idle, shells: 1 })).toEqual({ status: 'shell' })
    expect(statusOf({ ...idle, shells: 1, subagents: 1 })).toEqual({ status: 'busy' })
    expect(statusOf({ ...idle, busy: true, waitingFor: 'input needed' })).toMatchObject({ status: 'waiting' })
  })

  test('Shift+Tab cycles through the modes', () => {
    const cycle = (bypass: boolean) => {
      const modes: PermissionMode[] = ['default']
      for (let index = 0; index < (bypass ? 4 : 3); index++) modes.push(nextMode(modes.at(-1)!, bypass))
      return [...modes, nextMode(modes.at(-1)!, bypass)]
    }
    expect(cycle(false)).toEqual(['default', 'acceptEdits', 'plan', 'auto', 'default'])
    expect(cycle(true)).toEqual(['default', 'acceptEdits', 'plan', 'bypassPermissions', 'auto', 'default'])
  })

  test('the argument after -- is a prompt even if it looks like a flag', () => {
    const parsed = parseArguments(['--allowedTools', 'Bash(git *) Edit', '--', '-x "y"'])
    expect(parsed).toMatchObject({ run: { prompt: '-x "y"', allowedTools: ['Bash(git *)', 'Edit'] } })
    expect(parseArguments(['--permission-mode', 'default'])).toMatchObject({
      run: { permissionMode: 'default' },
    })
  })

  test('wrapping loses no character and makes no line too wide', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 4, max: 60 }), (text, columns) => {
        const lines = wrap(text, columns)
        expect(lines.every(line => textWidth(line) <= columns)).toBe(true)
        expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
      }),
    )
  })
})
