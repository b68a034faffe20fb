import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import { checkLogin, judgeVersion, testedVersion } from '../../src/doctor/check-claude.ts'
import { checkFiles } from '../../src/doctor/check-leftover-files.ts'
import { checkNode } from '../../src/doctor/check-programs.ts'
import { quietOutput } from '../../src/io/output.ts'
import { indented, lacksUnicode, toAscii, wrap } from '../../src/io/text.ts'
import { newMissionId } from '../../src/mission-id.ts'
import { pathsAt } from '../../src/paths.ts'
import { temporaryDirectory } from '../helpers/cli.ts'
import { realClaudeVersion } from '../helpers/real-claude.ts'

test('the fix for an empty mission directory does not delete files that have appeared in it', () => {
  const home = temporaryDirectory()
  const id = newMissionId()
  const mission = join(home, 'missions', id)
  mkdirSync(join(mission, 'agent'), { recursive: true })
  const tomorrow = new Date(Date.now() + 24 * 60 * 60 * 1000)
  const context = {
    env: { HOME: home },
    paths: pathsAt(home),
    now: () => tomorrow,
  } as Partial<Context> as Context
  const [found] = checkFiles(context, [id])
  expect(found).toMatchObject({ message: `an empty mission: ${mission}` })
  writeFileSync(join(mission, 'agent', 'work'), '')
  expect(found!.fix).toThrow('ENOTDIR')
  expect(existsSync(join(mission, 'agent', 'work'))).toBe(true)
})

describe('versions', () => {
  test.each([
    ['20.16.0', 'problem'],
    ['18.20.0', 'problem'],
    ['20.17.0', 'ok'],
    ['24.1.0', 'ok'],
  ])('of Node: %s is %s', (version, status) => {
    expect(checkNode(version).status).toBe(status)
  })

  test.each([
    ['1.0.62', 'warning'],
    ['2.1.77', 'warning'],
    ['2.1.200', 'ok'],
    [testedVersion, 'ok'],
    ['2.1.400', 'ok'],
    ['2.2.0', 'warning'],
    ['3.1.0', 'warning'],
  ])('of Claude Code: %s is %s', (version, status) => {
    expect(judgeVersion(version).status).toBe(status)
  })

  test('of Claude Code: the tests run the version that doctor calls tested', () => {
    expect(testedVersion).toBe(realClaudeVersion)
    expect(judgeVersion(testedVersion).message).toContain('known to work')
  })
})

describe('a login to Claude', () => {
  function login(prepare: (directory: string) => void, env: NodeJS.ProcessEnv = {}, keychain = 1) {
    const directory = temporaryDirectory()
    mkdirSync(join(directory, 'claude'))
    prepare(join(directory, 'claude'))
    const exec = { capture: () => ({ exitCode: keychain }) }
    const context = { env: { CLAUDE_CONFIG_DIR: join(directory, 'claude'), ...env }, exec }
    return checkLogin(context as unknown as Context, keychain === 0 ? 'darwin' : 'linux').status
  }
  const file = (name: string, text: string) => (directory: string) =>
    writeFileSync(join(directory, name), text)

  test('is recognized by any of its traces', () => {
    expect(login(() => {})).toBe('warning')
    expect(login(file('.claude.json', '{"projects":{}}'))).toBe('warning')
    expect(login(file('settings.json', 'not json'))).toBe('warning')
    expect(login(file('.credentials.json', ''))).toBe('ok')
    expect(login(file('.claude.json', '{"oauthAccount":{}}'))).toBe('ok')
    expect(login(file('settings.json', '{"apiKeyHelper":"x"}'))).toBe('ok')
    expect(login(() => {}, { ANTHROPIC_API_KEY: 'x' })).toBe('ok')
    expect(login(() => {}, {}, 0)).toBe('ok')
  })
})

describe('on narrow and plain terminals', () => {
  test('words are wrapped, never cut', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three'])
    expect(wrap('a very-long-word b', 5)).toEqual(['a', 'very-long-word', 'b'])
    expect(wrap('', 5)).toEqual([''])
    expect(indented('one two three', 17, 4)).toEqual(['    one two three'])
  })

  test.each([
    [{}, false],
    [{ LANG: 'en_US.UTF-8' }, false],
    [{ LANG: 'C.utf8', LC_CTYPE: '' }, false],
    [{ LANG: 'en_US.UTF-8', LC_ALL: 'C' }, true],
    [{ LC_CTYPE: 'POSIX', LANG: 'en_US.UTF-8' }, true],
  ])('%j lacks UTF-8: %s', (env, lacks) => {
    expect(lacksUnicode(env)).toBe(lacks)
  })

  test('characters outside ASCII are replaced', () => {
    expect(toAscii('a… ✔ né 日')).toBe('a. v n? ?')
    expect(toAscii('e\u0301 \u200d')).toBe('e ')
    expect(toAscii('plain \u001b[31mred')).toBe('plain \u001b[31mred')
  })

  test('--quiet keeps warnings and drops other messages', () => {
    const lines: string[] = []
    const err = { line: (text = '') => void lines.push(text), isTerminal: true }
    const quiet = quietOutput(err as never)
    quiet.line('Removed it.')
    quiet.line('agenc: tmux could not be asked')
    quiet.write('progress')
    expect(lines).toEqual(['agenc: tmux could not be asked'])
    expect(quiet.isTerminal).toBe(false)
  })
})
