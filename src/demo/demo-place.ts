import { chmodSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { makePrivateDirectory } from '../io/files.ts'

/** Everything a demo makes, below one directory that is removed afterwards. */
export interface DemoPlace {
  root: string
  home: string
  agencHome: string
  /** Stands for GitHub, by way of git's own settings. */
  sources: string
  gitConfig: string
  /** What the stand-in says first, a file a situation. */
  words: string
  claude: string
  tmuxConf: string
  /** Where tmux itself puts the default server of `env`; without its directory it would take the user's own. */
  tmuxSocket: string
  /** Where nothing of the user's own tmux, agenc, Claude or git settings is to be seen. */
  env: NodeJS.ProcessEnv
}

/** A tmux socket's path has room for about 100 characters. */
const longestBase = 60
const marker = '.agenc-demo'

export function makePlace(env: NodeJS.ProcessEnv): DemoPlace {
  const base = tmpdir().length <= longestBase ? tmpdir() : '/tmp'
  const root = realpathSync(mkdtempSync(join(base, 'agenc-')))
  chmodSync(root, 0o700)
  writeFileSync(join(root, marker), '', { mode: 0o600 })
  const place = placeAt(root, env)
  const directories = [place.home, place.agencHome, place.sources, place.words, dirname(place.tmuxSocket)]
  for (const path of [...directories, place.env.TMPDIR!, join(root, 'bin')]) makePrivateDirectory(path)
  return place
}

/** What marks a directory as one that a demo has made, and may remove. */
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

const ofTheUser = /^(AGENC_|TMUX|CLAUDE|ANTHROPIC_|GIT_|FZF_|XDG_|NODE_EXTRA_CA_CERTS$|ENV$|BASH_ENV$)/

function environment(root: string, home: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inherited = Object.entries(env).filter(([name]) => !ofTheUser.test(name))
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
