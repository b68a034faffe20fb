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

/** Paths are built when they are read: a list of a thousand missions needs only one of each. */
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

  /** Everything that the running wrapper shares with its Claude and with other agenc commands. */
  get run(): string {
    return `${this.root}/run`
  }

  /** The spool: one file per event. */
  get events(): string {
    return `${this.root}/run/ev`
  }

  /** The FIFO that wakes the wrapper up. */
  get wakeup(): string {
    return `${this.root}/run/bell`
  }

  /** FIFOs on which hooks wait for an answer. */
  get asks(): string {
    return `${this.root}/run/ask`
  }

  /** Settings that deny nothing: while they are in force, hooks need not ask. */
  get settingsWithoutDenies(): string {
    return `${this.root}/run/settings-without-denies`
  }

  /** The settings that Claude is started with. */
  get claudeSettings(): string {
    return `${this.root}/run/settings.json`
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
