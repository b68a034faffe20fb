import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { prepareFiles } from './sandbox-files.ts'

export type ShellName = 'bash' | 'zsh'
export const shellNames: readonly ShellName[] = ['bash', 'zsh']

export interface Observation {
  /** The argument list of every program that was found through PATH, and `git received` for each push that arrived. */
  ran: string[][]
  /** Files that were made, changed or removed, relative to the sandbox: `work/P`, `home/.ssh/key`. */
  changed: string[]
  timedOut: boolean
}

/**
 * A directory with a repo in which commands run for real. PATH leads only to recording stand-ins. A stand-in for a
 * program of `realPrograms` then becomes that program; the others do nothing.
 */
export interface Sandbox {
  root: string
  /** The mission's directory, in which commands run. */
  work: string
  home: string
  run(command: string, shell: ShellName): Promise<Observation>
}

/** Their own behaviour matters: most can run other programs or write files. */
const realPrograms = `
  awk basename bash bc cat chmod cmp column comm cp csplit cut date dc dd diff diff3 dirname du echo ed egrep env ex expand
  expr false fgrep file find flock fmt fold getopt git grep gzip gunzip head join jq less ln ls make man mawk mkdir
  mktemp more mv nice nl nohup od openssl paste patch perl pr printenv printf ptx pwd python3 readlink realpath rev
  sdiff sed seq setsid sh shuf sleep sort split stat stdbuf strings sum tac tail tar tclsh tee test time timeout tr true
  tsort uniq vim watch wc which who xargs xxd xz zcat zgrep zsh [`

/** These only record that they were called. */
const recordedPrograms = `
  agenc cargo claude curl docker doas eslint evil fd gh go id kill mypy nc npx pip pnpm pre-commit prettier pytest
  python repo-script rg rm rmdir ruff ruby rustc scp script ssh sudo tmux touch tree tsc uv vitest wget yarn`

export function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter(Boolean)
}

/** Commands must not run as root. Another user runs them as themselves. */
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

const timeoutMs = 4000
const restored = ['work', 'home', 'tmp', 'outside', 'remote.git']

export interface SandboxMaker {
  make(): Sandbox
  removeAll(): void
}

export function sandboxMaker(): SandboxMaker {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'agenc-differential-')))
  chmodSync(base, 0o755)
  const template = join(base, 'template')
  prepareFiles(template)
  if (nobody.uid !== undefined) run('chown', ['-R', `${nobody.uid}:${nobody.gid}`, template])
  let count = 0
  return {
    make: () => makeSandbox(join(base, `box-${count++}`), template),
    removeAll: () => rmSync(base, { recursive: true, force: true }),
  }
}

function makeSandbox(root: string, template: string): Sandbox {
  const log = join(root, 'log')
  const work = join(root, 'work')
  const home = join(root, 'home')
  const bin = join(root, 'bin')
  mkdirSync(root)
  makeStandIns(bin, log)
  const copy = (names: readonly string[]) => {
    for (const name of names) rmSync(join(root, name), { recursive: true, force: true })
    for (const name of names.filter(item => existsSync(join(template, item))))
      run('cp', ['-a', join(template, name), join(root, dirname(name))])
    return snapshot(root)
  }
  let before = copy(restored)
  const env = {
    PATH: bin,
    HOME: home,
    TMPDIR: join(root, 'tmp'),
    LC_ALL: 'C.UTF-8',
    GIT_TERMINAL_PROMPT: '0',
    TERM: 'dumb',
  }
  return {
    root,
    work,
    home,
    run: async (command, shell) => {
      writeFileSync(log, '')
      chmodSync(log, 0o666)
      const timedOut = await runShell(shell, command, { cwd: work, env })
      const changed = differences(before, snapshot(root))
      const isRepoAsBefore = gitState(work) === gitState(join(template, 'work'))
      if (changed.length > 0 || !isRepoAsBefore) before = copy(isRepoAsBefore ? outermost(changed) : restored)
      return { ran: readLog(log), changed, timedOut }
    },
  }
}

/** Tells a repo apart from one on another branch or in the middle of a rebase. Indexes and logs change harmlessly. */
function gitState(work: string): string {
  const git = join(work, '.git')
  if (!existsSync(join(git, 'HEAD'))) return 'no repo'
  const names = readdirSync(git).filter(
    name => !/^(?:ORIG_HEAD|FETCH_HEAD|COMMIT_EDITMSG|logs|index.*)$/.test(name),
  )
  return [readFileSync(join(git, 'HEAD'), 'utf8'), ...names.sort()].join('\n')
}

/** Drops the paths that lie below another one in the list. */
function outermost(paths: readonly string[]): string[] {
  const all = new Set(paths)
  const isBelowAnother = (path: string): boolean => {
    const parent = dirname(path)
    return parent !== '.' && (all.has(parent) || isBelowAnother(parent))
  }
  return paths.filter(path => !isBelowAnother(path))
}

function run(file: string, args: string[]): void {
  const { status, stderr } = spawnSync(file, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${file} failed: ${stderr}`)
}

/** Returns the file that a program on the machine's own PATH stands for. */
export function findReal(program: string): string | undefined {
  return ['/usr/bin', '/bin', '/usr/local/bin', '/opt/homebrew/bin']
    .map(directory => join(directory, program))
    .find(existsSync)
}

function makeStandIns(bin: string, log: string): void {
  mkdirSync(bin)
  // One printf makes one write, so records of programs in a pipe do not mix.
  const record = (name: string) =>
    `#!/bin/sh\nIFS='\u001f'\nprintf '%s\\036' "${name}\u001f$*" >>'${log}'\nunset IFS\n`
  const add = (name: string, action: string) => {
    writeFileSync(join(bin, name), record(name) + action)
    chmodSync(join(bin, name), 0o755)
  }
  for (const name of wordsOf(recordedPrograms)) add(name, '')
  for (const name of wordsOf(realPrograms)) {
    const real = findReal(name)
    add(name, real ? `exec '${real}' "$@"\n` : '')
  }
  const npm = findReal('npm')
  add('npm', npm ? `exec '${process.execPath}' '${realpathSync(npm)}' "$@"\n` : '')
  add('node', `exec '${process.execPath}' "$@"\n`)
}

/** The form in which Claude passes a command to its shell. */
function scriptFor(shell: ShellName, command: string): string {
  const quoted = `'${command.replaceAll("'", "'\\''")}'`
  const options = shell === 'bash' ? 'shopt -u extglob; shopt -s expand_aliases' : 'setopt NO_EXTENDED_GLOB'
  return `${options}\neval ${quoted} </dev/null`
}

const maxOutput = 1_000_000

/** Waits for the shell and for whatever it left in the background. Returns true if they had to be killed. */
function runShell(
  shell: ShellName,
  command: string,
  options: { cwd: string; env: Record<string, string> },
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(findReal(shell)!, ['-c', scriptFor(shell, command)], {
      ...options,
      ...nobody,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let timedOut = false
    let output = 0
    const killAll = () => {
      try {
        process.kill(-child.pid!, 'SIGKILL')
      } catch {
        // All of its processes have ended.
      }
    }
    const timer = setTimeout(() => {
      timedOut = true
      killAll()
      child.stdout.destroy()
      child.stderr.destroy()
    }, timeoutMs)
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.length
        if (output > maxOutput) killAll()
      })
    child.on('error', reject)
    child.on('close', () => {
      clearTimeout(timer)
      killAll()
      resolve(timedOut)
    })
  })
}

function readLog(log: string): string[][] {
  return readFileSync(log, 'utf8')
    .split('\u001e')
    .filter(record => record !== '')
    .map(record => record.split('\u001f'))
    .map(words => (words.length === 2 && words[1] === '' ? [words[0]!] : words))
}

type Snapshot = ReadonlyMap<string, string>

/** Inside .git, only files that decide what git runs are compared: git itself writes the others all the time. npm keeps a cache. */
const ignored = /^(?:work\/\.git|remote\.git)\/(?!config|hooks|info)|^home\/\.npm$/

function snapshot(root: string): Snapshot {
  const found = new Map<string, string>()
  const visit = (path: string) => {
    for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
      const name = `${path}/${entry.name}`
      if (ignored.test(name)) continue
      if (entry.isDirectory()) {
        found.set(name, 'directory')
        visit(name)
      } else {
        const { mtimeMs, size, ino, mode } = lstatSync(join(root, name))
        found.set(name, `${mtimeMs} ${size} ${ino} ${mode}`)
      }
    }
  }
  for (const name of restored) visit(name)
  return found
}

function differences(before: Snapshot, after: Snapshot): string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter(name => before.get(name) !== after.get(name))
}
