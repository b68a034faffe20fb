import { join, resolve } from 'node:path'
import type { MissionId } from './mission-id.ts'

/** Where everything lives below `$AGENC_DIRPATH`. */
export interface Paths {
  home: string
  database: string
  config: string
  /** The checked settings, for commands that must be quick. */
  preparedConfig: string
  repos: string
  /** What the picker for a new mission shows. */
  repoChoices: string
  /** Names the tmux server that the agenc session lives on. */
  tmuxSocket: string
  /** Touched by tmux when the session was closed, not lost. */
  sessionClosed: string
  missions: string
  mission(id: MissionId): MissionPaths
}

/** Put together when asked for: a list of a thousand missions wants one path of each. */
export class MissionPaths {
  readonly root: string

  constructor(root: string) {
    this.root = root
  }

  /** Claude's working directory. */
  get agent(): string {
    return `${this.root}/agent`
  }

  /** The first prompt, kept until Claude has it. */
  get prompt(): string {
    return `${this.root}/prompt`
  }

  get setupLog(): string {
    return `${this.root}/setup.log`
  }

  get wrapperLog(): string {
    return `${this.root}/wrapper.log`
  }

  /** Hook settings, spool and requests of the running wrapper. */
  get run(): string {
    return `${this.root}/run`
  }
}

export function pathsFrom(env: NodeJS.ProcessEnv): Paths {
  return pathsAt(
    env.AGENC_DIRPATH
      ? resolve(env.AGENC_DIRPATH)
      : join(env.HOME || process.getBuiltinModule('node:os').homedir(), '.agenc'),
  )
}

export function pathsAt(home: string): Paths {
  const missions = join(home, 'missions')
  return {
    home,
    database: join(home, 'database.sqlite'),
    config: join(home, 'config.json'),
    preparedConfig: join(home, 'config.prepared.json'),
    repos: join(home, 'repos'),
    repoChoices: join(home, 'repo-choices'),
    tmuxSocket: join(home, 'tmux-socket'),
    sessionClosed: join(home, 'session-closed'),
    missions,
    mission: id => new MissionPaths(`${missions}/${id}`),
  }
}
