import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { buildSync } from 'esbuild'
import { type Paths, pathsAt } from '../../src/paths.ts'

/**
 * Found from the current directory, not from this file: the benchmark runs as a bundle inside node_modules, which
 * may be a link into another clone.
 */
export const projectRoot = rootAbove(process.cwd())
export const agencScript = join(projectRoot, 'bin', 'agenc.cjs')

function rootAbove(directory: string): string {
  if (existsSync(join(directory, 'package-lock.json'))) return directory
  if (directory === dirname(directory)) throw new Error('run the benchmark inside the project')
  return rootAbove(dirname(directory))
}

/** The steps that undo a run, newest first. They also run after an error or Ctrl-C. */
export class Cleanup {
  readonly #steps: (() => void | Promise<void>)[] = []

  add(step: () => void | Promise<void>): void {
    this.#steps.push(step)
  }

  async run(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await step()
      } catch (error) {
        console.error(`bench: clean-up failed: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  }
}

/** A private home, agenc home and tmux directory. */
export interface Box {
  root: string
  home: string
  env: NodeJS.ProcessEnv
  paths: Paths
  cleanup: Cleanup
  /** Writes a file below the box's root and returns its path. */
  write(name: string, text: string, mode?: number): string
  tmux(...args: string[]): string
  agenc(args: string[], env?: NodeJS.ProcessEnv): string
}

export function openBox(cleanup: Cleanup): Box {
  // A short name, because the path of a tmux socket is limited to about 100 characters.
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'agenc-bench-')))
  cleanup.add(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))
  const home = join(root, 'home')
  const agencHome = join(root, 'agenc')
  for (const path of [home, join(root, 'bin'), join(root, 'tmux'), join(home, '.claude', 'sessions')])
    mkdirSync(path, { recursive: true })
  mkdirSync(agencHome, { mode: 0o700 })
  const env = boxEnvironment(root, home, agencHome)
  const capture = (file: string, args: string[], added: NodeJS.ProcessEnv = {}) =>
    execFileSync(file, args, {
      env: { ...env, ...added },
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: maxOutputBytes,
    })
  return {
    root,
    home,
    env,
    paths: pathsAt(agencHome),
    cleanup,
    write: (name, text, mode = 0o600) => {
      writeFileSync(join(root, name), text, { mode })
      return join(root, name)
    },
    tmux: (...args) => capture('tmux', ['-u', '-f', '/dev/null', ...args]),
    agenc: (args, added) => capture(process.execPath, [agencScript, ...args], added),
  }
}

const maxOutputBytes = 64 * 2 ** 20

const removedVariables =
  /^(AGENC_|TMUX|CLAUDE|ANTHROPIC_|GIT_|FZF_|NODE_|npm_|DISPLAY$|WAYLAND_DISPLAY$|XDG_|VITEST|NO_COLOR$|FORCE_COLOR$)/

/** The user's own settings must not change a result. NODE_EXTRA_CA_CERTS alone can double one. */
function boxEnvironment(root: string, home: string, agencHome: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !removedVariables.test(name))
  return {
    ...Object.fromEntries(inherited),
    PATH: `${join(root, 'bin')}:${process.env.PATH}`,
    HOME: home,
    SHELL: '/bin/sh',
    AGENC_DIRPATH: agencHome,
    TMUX_TMPDIR: join(root, 'tmux'),
    XDG_CONFIG_HOME: join(home, '.config'),
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    TERM: 'xterm-256color',
    GIT_CONFIG_NOSYSTEM: '1',
  }
}

export interface TimedOptions {
  env?: NodeJS.ProcessEnv
  input?: string
}

/** Times a program from start to end, reading its output through a pipe as a script would. */
export function timeProgram(
  box: Box,
  file: string,
  args: readonly string[],
  options: TimedOptions = {},
): number {
  const beforeMs = performance.now()
  const done = spawnSync(file, args, {
    env: { ...box.env, ...options.env },
    cwd: box.root,
    input: options.input ?? '',
    maxBuffer: maxOutputBytes,
  })
  const tookMs = performance.now() - beforeMs
  if (done.status !== 0) throw new Error(`${file} ${args.join(' ')} → ${done.status}: ${done.stderr}`)
  return tookMs
}

export function timeAgenc(box: Box, args: readonly string[], env?: NodeJS.ProcessEnv): number {
  return timeProgram(box, process.execPath, [agencScript, ...args], { env })
}

/** Starts a program whose effect shows before it ends. Resolves at its end. */
export function runProgram(
  box: Box,
  file: string,
  args: readonly string[],
  added: NodeJS.ProcessEnv,
): Promise<void> {
  const child = spawn(file, args, {
    env: { ...box.env, ...added },
    cwd: box.root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', code => (code === 0 ? resolve() : reject(new Error(`${args.join(' ')} → ${code}`))))
  })
}

const patienceMs = 60_000
const pauseMs = 5

/** Polls, so use it only where nothing is timed: to prepare a round and to clean up after it. */
export async function until(what: string, isTrue: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + patienceMs
  while (!isTrue()) {
    if (performance.now() > deadlineMs) throw new Error(`gave up waiting until ${what}`)
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
}

/** Watches a directory for a condition. Each call resolves to the time at which the condition was first seen. */
export function watchDirectory(box: Box, directory: string, isTrue: () => boolean): () => Promise<number> {
  let onChange = () => {}
  const watcher = watch(directory, () => onChange())
  box.cleanup.add(() => watcher.close())
  return () =>
    new Promise(resolve => {
      onChange = () => {
        if (!isTrue()) return
        onChange = () => {}
        resolve(performance.now())
      }
      onChange()
    })
}

/** Bundles a TypeScript file of test/bench, so that Node can run it as one CommonJS script. */
export function bundleScript(box: Box, ...path: string[]): string {
  const outfile = join(box.root, basename(path.at(-1)!).replace(/\.ts$/, '.cjs'))
  buildSync({
    entryPoints: [join(projectRoot, 'test', 'bench', ...path)],
    outfile,
    bundle: true,
    external: ['*.node'],
    mainFields: ['module', 'main'],
    platform: 'node',
    format: 'cjs',
    target: 'node20.17',
  })
  return outfile
}
