import { chmodSync, existsSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { makePrivateDirectory } from '../io/files.ts'

/** Everything that a demo creates is below one directory, which is removed afterwards. */
export interface DemoPlace {
  root: string
  home: string
  agencHome: string
  /** git's settings redirect github.com to this directory. */
  sources: string
  gitConfig: string
  /** First prompts for the stand-in: one file per repo, and one for forks. */
  words: string
  claude: string
  tmuxConf: string
  /** The default socket that tmux derives from `env`. Its directory must exist, or tmux falls back to the user's own server. */
  tmuxSocket: string
  /** Hides the user's tmux, agenc, Claude and git settings. */
  env: NodeJS.ProcessEnv
}

/** The path of a socket is limited to about 100 characters. */
const longestBase = 60
const marker = '.agenc-demo'

export function makePlace(env: NodeJS.ProcessEnv): DemoPlace {
  const base = tmpdir().length <= longestBase && existsSync(tmpdir()) ? tmpdir() : '/tmp'
  const root = realpathSync(mkdtempSync(join(base, 'agenc-')))
  chmodSync(root, 0o700)
  writeFileSync(join(root, marker), '', { mode: 0o600 })
  const place = placeAt(root, env)
  const directories = [place.home, place.agencHome, place.sources, place.words, dirname(place.tmuxSocket)]
  for (const path of [...directories, place.env.TMPDIR!, join(root, 'bin')]) makePrivateDirectory(path)
  return place
}

/** This file marks a directory that a demo created, and that may therefore be removed. */
export function markerOf(root: string): string {
  return join(root, marker)
}

export function placeAt(root: string, env: NodeJS.ProcessEnv): DemoPlace {
  const home = join(root, 'home')
  return {
    root,
    home,
    agencHome: join(root, 'agenc'),
    sources: join(root, 'github'),
    words: join(root, 'words'),
    claude: join(root, 'bin', 'claude'),
    gitConfig: join(home, '.gitconfig'),
    tmuxConf: join(home, '.tmux.conf'),
    tmuxSocket: join(root, 't', `tmux-${process.getuid!()}`, 'default'),
    env: environment(root, home, env),
  }
}

const userVariables = /^(AGENC_|TMUX|CLAUDE|ANTHROPIC_|GIT_|FZF_|XDG_|NODE_EXTRA_CA_CERTS$|ENV$|BASH_ENV$)/

function environment(root: string, home: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inherited = Object.entries(env).filter(([name]) => !userVariables.test(name))
  const author = { NAME: 'agenc demo', EMAIL: 'demo@example.com' }
  return {
    ...Object.fromEntries(inherited),
    HOME: home,
    AGENC_DIRPATH: join(root, 'agenc'),
    TMPDIR: join(root, 'tmp'),
    TMUX_TMPDIR: join(root, 't'),
    XDG_CONFIG_HOME: join(home, '.config'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: author.NAME,
    GIT_AUTHOR_EMAIL: author.EMAIL,
    GIT_COMMITTER_NAME: author.NAME,
    GIT_COMMITTER_EMAIL: author.EMAIL,
  }
}
