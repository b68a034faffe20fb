import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** sort, git and others read this file name as an option when the shell puts it in the place of `*`. */
const nameLikeOption = '--output=P'

/** Leaves a trace without the help of PATH. */
const evilScript = '#!/bin/sh\n: >"$HOME/evil-ran"\n'

const workFiles: Record<string, string> = {
  Makefile:
    'MAKEFLAGS += --no-builtin-rules\n.SUFFIXES:\n.PHONY: all test build lint check clean\nall test build lint check clean:\n\t@repo-script $@\n',
  'package.json': JSON.stringify({
    name: 'prepared',
    version: '1.0.0',
    scripts: { test: 'repo-script', build: 'repo-script', lint: 'repo-script', start: 'repo-script' },
  }),
  'README.md': '# Prepared\n\nsome words\n',
  f: 'alpha beta\ngamma delta\nalpha\n',
  f2: 'alpha\nepsilon\n',
  'data.json': '{"name": "prepared", "items": [1, 2, 3]}\n',
  push: '',
  'push.txt': 'push\n',
  'git-push.txt': 'git push\n',
  'src/a.ts': 'export const a = 1 // TODO\n',
  'src/b.ts': 'export const b = 2\n',
  'test/a.test.ts': 'import "../src/a.ts"\n',
  'sub/Makefile': '.PHONY: all test\nall test:\n\t@repo-script $@\n',
  'sub/package.json': JSON.stringify({ name: 'sub', version: '1.0.0', scripts: { test: 'repo-script' } }),
  config: 'x\n',
  'settings.json': 'x\n',
  'evil.mk': 'x := $(shell evil)\n.PHONY: all test\nall test:\n\t@evil\n',
  'evil.sed': '1e evil\n',
  'evil.awk': 'BEGIN { system("evil") }\n',
  'evil.js': 'require("child_process").spawnSync("evil")\n',
  'evil.py': 'import os\nos.system("evil")\n',
  'evil.pl': 'system("evil")\n',
  'evil.cfg': '[core]\n\tpager = evil\n\tfsmonitor = evil\n[alias]\n\tst = !evil\n',
  'magic.txt': '0 string alpha found\n',
}

/** Programs of the repo, some below a directory that has the name of an allowed program. */
const workPrograms = ['evil', 'evil.sh', 'ls/evil', 'cat/evil', 'git/evil', 'make/evil', 'sub/evil', 'sub/ls']

function write(root: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
}

/** Makes the directories that each sandbox starts from. */
export function prepareFiles(root: string): void {
  const work = join(root, 'work')
  for (const name of ['work', 'home/.ssh', 'home/.claude', 'tmp', 'outside'])
    mkdirSync(join(root, name), { recursive: true })
  write(work, workFiles)
  write(work, Object.fromEntries(workPrograms.map(name => [name, evilScript])))
  for (const name of workPrograms) chmodSync(join(work, name), 0o755)
  write(work, { [nameLikeOption]: 'x\n' })
  write(root, {
    'outside/secret': 'secret\n',
    'outside/evil': evilScript,
    'outside/Makefile': '.PHONY: all test\nall test:\n\t@evil\n',
    'outside/package.json': JSON.stringify({ name: 'outside', version: '1.0.0', scripts: { test: 'evil' } }),
    'home/.claude/settings.json': '{}\n',
    'home/.agenc/config.json': '{}\n',
    'work/sub/.agenc/config.json': 'x\n',
    'home/.npmrc':
      'update-notifier=false\noffline=true\nfund=false\naudit=false\nloglevel=error\nlogs-max=0\n',
    'home/.gitconfig':
      '[safe]\n\tdirectory = *\n[user]\n\tname = A\n\temail = a@example.com\n[init]\n\tdefaultBranch = main\n[push]\n\tdefault = current\n[rebase]\n\tautoStash = true\n',
  })
  chmodSync(join(root, 'outside/evil'), 0o755)
  prepareRepo(root, work)
}

function prepareRepo(root: string, work: string): void {
  const env = { PATH: process.env.PATH, HOME: join(root, 'home') }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: work, env, stdio: 'pipe' })
  execFileSync('tar', ['cf', 'a.tar', 'f', 'src'], { cwd: work, env, stdio: 'pipe' })
  git('init', '--quiet', '--bare', '--template=', '../remote.git')
  git('init', '--quiet', '--template=')
  git('add', 'README.md', 'Makefile', 'package.json', 'f', 'src')
  git('commit', '--quiet', '--message', 'first')
  git('commit', '--quiet', '--allow-empty', '--message', 'second')
  git('remote', 'add', 'origin', '../remote.git')
  // Without this, git refuses to push from the detached HEAD of a rebase.
  git('config', 'remote.origin.push', 'HEAD:refs/heads/pushed')
  mkdirSync(join(work, '.git', 'hooks'))
  writeFileSync(join(work, 'f'), 'alpha beta\nchanged\n')
  // Every push that arrives is recorded, whichever git sent it and under whichever name, and then refused.
  const hook = join(root, 'remote.git', 'hooks', 'pre-receive')
  mkdirSync(dirname(hook), { recursive: true })
  writeFileSync(hook, `#!/bin/sh\nprintf 'git\\037received\\036' >>../log\nexit 1\n`)
  chmodSync(hook, 0o755)
}
