import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Paths, pathsAt } from '../../../src/paths.ts'
import type { Leftovers } from './leftovers.ts'
import { agencScript } from './root.ts'

/** A home, an agenc home and a tmux directory of its own. */
export interface Box {
  root: string
  home: string
  env: NodeJS.ProcessEnv
  paths: Paths
  leftovers: Leftovers
  /** A file below the box's root. */
  write(name: string, text: string, mode?: number): string
  tmux(...args: string[]): string
  agenc(args: string[], env?: NodeJS.ProcessEnv): string
}

export function openBox(leftovers: Leftovers): Box {
  // Short, because a tmux socket's path has room for about 100 characters.
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'agenc-bench-')))
  leftovers.add(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))
  const home = join(root, 'home')
  const agencHome = join(root, 'agenc')
  for (const path of [home, join(root, 'bin'), join(root, 'tmux'), join(home, '.claude', 'sessions')])
    mkdirSync(path, { recursive: true })
  mkdirSync(agencHome, { mode: 0o700 })
  const env = boxEnv(root, home, agencHome)
  const capture = (file: string, args: string[], added: NodeJS.ProcessEnv = {}) =>
    execFileSync(file, args, {
      env: { ...env, ...added },
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64 * 2 ** 20,
    })
  return {
    root,
    home,
    env,
    paths: pathsAt(agencHome),
    leftovers,
    write: (name, text, mode = 0o600) => {
      writeFileSync(join(root, name), text, { mode })
      return join(root, name)
    },
    tmux: (...args) => capture('tmux', ['-u', '-f', '/dev/null', ...args]),
    agenc: (args, added) => capture(process.execPath, [agencScript, ...args], added),
  }
}

const foreign =
  /^(AGENC_|TMUX|CLAUDE|ANTHROPIC_|GIT_|FZF_|NODE_|npm_|DISPLAY$|WAYLAND_DISPLAY$|XDG_|VITEST|NO_COLOR$|FORCE_COLOR$)/

/** Nothing of the machine's own settings changes a figure; NODE_EXTRA_CA_CERTS alone would double some. */
function boxEnv(root: string, home: string, agencHome: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !foreign.test(name))
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
