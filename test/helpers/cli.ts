import { type ChildProcess, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { waitFor } from './wait.ts'

export const projectRoot = join(import.meta.dirname, '..', '..')
export const agencScript = join(projectRoot, 'bin', 'agenc.cjs')

export interface Ran {
  exitCode: number | null
  stdout: string
  stderr: string
}

/** A home, an agenc home and a tmux directory for one test. They are removed when the test ends. */
export interface Sandbox {
  root: string
  home: string
  agencHome: string
  env: NodeJS.ProcessEnv
  agenc(args: string[], options?: { input?: string; env?: NodeJS.ProcessEnv; cwd?: string }): Ran
  agencAsync(args: string[], options?: { env?: NodeJS.ProcessEnv }): Promise<Ran>
  /** Runs the command with --json, throws if it fails, and returns the parsed output. */
  agencJson<T>(args: string[], options?: { input?: string }): T
}

/** The path is short, because the path of a tmux socket may have only about 100 characters. */
export function temporaryDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'agenc-')))
  // A program that is still ending may create a file during the removal.
  onTestFinished(async () => {
    await waitFor(`${directory} to be removed`, () => {
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
      return true
    })
  })
  return directory
}

export function sandbox(): Sandbox {
  const root = temporaryDirectory()
  const home = join(root, 'home')
  const agencHome = join(root, 'agenc')
  mkdirSync(home)
  mkdirSync(join(root, 'tmux'))
  mkdirSync(join(root, 'tmux', 'run'), { mode: 0o700 })
  const env = sandboxEnv(root, home, agencHome)
  const ran = (done: SpawnSyncReturns<string>): Ran => ({
    exitCode: done.status,
    stdout: done.stdout,
    stderr: done.stderr,
  })
  const box: Sandbox = {
    root,
    home,
    agencHome,
    env,
    agenc: (args, options = {}) =>
      ran(
        spawnSync(process.execPath, [agencScript, ...args], {
          env: { ...env, ...options.env },
          cwd: options.cwd ?? root,
          input: options.input ?? '',
          encoding: 'utf8',
        }),
      ),
    agencAsync: (args, options = {}) => spawnAgenc({ env: { ...env, ...options.env }, root }, args).ended,
    agencJson: (args, options) => {
      const done = box.agenc([...args, '--json'], options)
      if (done.exitCode !== 0) throw new Error(`agenc ${args.join(' ')} → ${done.exitCode}\n${done.stderr}`)
      return JSON.parse(done.stdout)
    },
  }
  return box
}

/** A running `agenc`, which a test can send a signal to. */
export interface Running {
  process: ChildProcess
  ended: Promise<Ran>
}

export function spawnAgenc({ env, root }: Pick<Sandbox, 'env' | 'root'>, args: string[]): Running {
  const child = spawn(process.execPath, [agencScript, ...args], {
    env,
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<Ran>((resolve, reject) => {
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', text => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', text => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', exitCode => resolve({ exitCode, stdout, stderr }))
  })
  return { process: child, ended }
}

/** Keeps the settings of this machine for tmux, agenc, Claude, git and editors (npm sets EDITOR) away from the test. */
function sandboxEnv(root: string, home: string, agencHome: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !/^(AGENC_|TMUX|CLAUDE|ANTHROPIC_|GIT_|FZF_|NODE_EXTRA_CA_CERTS$|VITEST|NODE_OPTIONS$|EDITOR$|VISUAL$)/.test(
        name,
      ),
  )
  return {
    ...Object.fromEntries(inherited),
    HOME: home,
    AGENC_DIRPATH: agencHome,
    TMUX_TMPDIR: join(root, 'tmux'),
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_RUNTIME_DIR: join(root, 'tmux', 'run'),
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    TERM: 'xterm-256color',
    NO_COLOR: '1',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Test',
    GIT_AUTHOR_EMAIL: 'test@example.com',
    GIT_COMMITTER_NAME: 'Test',
    GIT_COMMITTER_EMAIL: 'test@example.com',
  }
}
