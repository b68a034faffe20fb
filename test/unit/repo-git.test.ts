import { expect, test } from 'vitest'
import { Cancelled, ExitCode } from '../../src/errors.ts'
import { askGit, gitArguments, gitEnvironment, gitReason, runGit } from '../../src/repo/git.ts'
import { type Result, type Runner, systemRunner } from '../../src/system/runner.ts'

const done: Result = { exitCode: 0, signal: null, stdout: '', stderr: '', missing: false }

function answering(result: Partial<Result>): { exec: Runner; env: NodeJS.ProcessEnv } {
  return {
    exec: {
      ...systemRunner,
      capture: () => ({ ...done, ...result }),
      stream: async () => ({ ...done, ...result }),
    },
    env: {},
  }
}

test('every call has the options that keep a repo from running programs', () => {
  const args = gitArguments(['fetch', 'origin'], { gitDir: '/repos/a', workTree: '/w', config: ['a.b=c'] })
  expect(args.slice(0, 2)).toEqual(['--git-dir=/repos/a', '--work-tree=/w'])
  expect(args.slice(-4)).toEqual(['-c', 'a.b=c', 'fetch', 'origin'])
  for (const setting of ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'protocol.ext.allow=never']) {
    expect(args[args.indexOf(setting) - 1]).toBe('-c')
  }
})

test('variables set by another git are dropped, and those of the user stay', () => {
  const own = {
    HOME: '/h',
    GIT_SSH_COMMAND: 'ssh -i key',
    GIT_CONFIG_COUNT: '0',
    HTTPS_PROXY: 'p',
    GIT_TRACE: '1',
  }
  const foreign = {
    GIT_DIR: '/x',
    GIT_WORK_TREE: '/x',
    GIT_INDEX_FILE: '/x',
    GIT_CONFIG_PARAMETERS: "'a.b=c'",
  }
  expect(gitEnvironment({ ...own, ...foreign }, { mayPrompt: true })).toEqual({
    ...own,
    GIT_LFS_SKIP_SMUDGE: '1',
    // A repo can replace its commits by others.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: '/dev/null/none',
  })
})

test('without a terminal neither git nor ssh asks a question', () => {
  expect(gitEnvironment({}, { mayPrompt: false })).toMatchObject({
    GIT_TERMINAL_PROMPT: '0',
    SSH_ASKPASS: 'false',
    SSH_ASKPASS_REQUIRE: 'force',
  })
  expect(gitEnvironment({ SSH_ASKPASS: 'mine' }, { mayPrompt: false }).SSH_ASKPASS).toBe('mine')
})

test('a missing git gives exit 69', () => {
  const missing = answering({ missing: true, exitCode: null })
  expect(() => askGit(missing, ['status'])).toThrow(
    expect.objectContaining({ exitCode: ExitCode.unavailable }),
  )
})

test('git ended by Ctrl-C counts as cancelled', async () => {
  await expect(runGit(answering({ exitCode: null, signal: 'SIGINT' }), ['fetch'])).rejects.toBeInstanceOf(
    Cancelled,
  )
})

test.each([
  ['remote: hi\nfatal: repository \u001b[31mgone\u0007\nhint: x\n', 'repository gone'],
  ["fatal: unable to access 'https://me:hunter2@host/a/'", "unable to access 'https://host/a/'"],
  ['something odd\n', 'something odd'],
  ['', 'git failed (exit 128)'],
])('the reason is found in %j', (stderr, reason) => {
  expect(gitReason({ ...done, exitCode: 128, stderr })).toBe(reason)
})
