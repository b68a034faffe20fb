import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { GitTools } from '../../src/repo/git.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { temporaryDirectory } from './cli.ts'

/** A directory for repos, with a git that does not read the settings of this machine. */
export interface GitBench {
  root: string
  tools: GitTools
  /** Runs git in a directory below the root, expects success, and returns its output. */
  git(directory: string, ...args: string[]): string
  /** Creates a repo on `main` with these files in one commit, and returns its path. */
  repo(directory: string, files?: Record<string, string>): string
  commit(directory: string, files: Record<string, string>): string
  /** Writes the user's own git settings. */
  userConfig(text: string): void
}

export function gitBench(
  root: string = temporaryDirectory(),
  env: NodeJS.ProcessEnv = benchEnv(root),
): GitBench {
  mkdirSync(env.HOME!, { recursive: true })
  const bench: GitBench = {
    root,
    tools: { exec: systemRunner, env },
    git(directory, ...args) {
      const done = spawnSync('git', args, { cwd: join(root, directory), env, encoding: 'utf8' })
      if (done.status !== 0) throw new Error(`git ${args.join(' ')} → ${done.status}\n${done.stderr}`)
      return done.stdout.trim()
    },
    repo(directory, files = { 'README.md': 'hello\n' }) {
      mkdirSync(join(root, directory), { recursive: true })
      bench.git(directory, 'init', '--quiet', '--initial-branch=main')
      return bench.commit(directory, files)
    },
    commit(directory, files) {
      for (const [name, text] of Object.entries(files)) writeBelow(join(root, directory), name, text)
      bench.git(directory, 'add', '--all')
      bench.git(
        directory,
        'commit',
        '--quiet',
        '--allow-empty',
        '--message',
        `with ${Object.keys(files).length} files`,
      )
      return join(root, directory)
    },
    userConfig: text => writeFileSync(join(env.HOME!, '.gitconfig'), text),
  }
  return bench
}

export function writeBelow(directory: string, name: string, text: string): void {
  mkdirSync(dirname(join(directory, name)), { recursive: true })
  writeFileSync(join(directory, name), text)
}

function benchEnv(root: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(GIT_|SSH_|XDG_)/.test(name))
  const [name, email] = ['Test', 'test@example.com']
  return {
    ...Object.fromEntries(inherited),
    HOME: join(root, 'home'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  }
}

/**
 * An ssh that reaches this machine whatever host is named, for addresses such as `ssh://host/path/of/a/repo`. A host whose
 * name starts with `offline` is not found, and one with `stalled` never answers.
 */
export function fakeSsh(root: string): NodeJS.ProcessEnv {
  const program = join(root, 'fake-ssh')
  const script = [
    '#!/bin/sh',
    'while :; do case $1 in -o | -p) shift 2 ;; -*) shift ;; *) break ;; esac; done',
    'case $1 in offline*) echo "ssh: Could not resolve hostname $1" >&2; exit 255 ;; esac',
    `case $1 in stalled*) echo $$ >'${program}.pid'; exec sleep 1000 ;; esac`,
    'shift',
    'exec sh -c "$*"',
  ]
  writeFileSync(program, `${script.join('\n')}\n`, { mode: 0o755 })
  return { GIT_SSH_COMMAND: program, GIT_SSH_VARIANT: 'ssh' }
}
