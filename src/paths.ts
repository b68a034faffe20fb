import { join, resolve } from 'node:path'
import type { MissionId } from './mission-id.ts'

/** The files and directories below `$AGENC_DIRPATH`. */
export interface Paths {
  home: string
  database: string
  config: string
  /** A validated copy of the settings, which is quicker to load. */
  configCache: string
  repos: string
  /** The list that the picker for a new mission shows. */
  repoChoices: string
  /** Holds the socket path of the tmux server that has the agenc session. */
  tmuxSocket: string
  /** tmux touches this file when the session is closed. It does not if tmux is killed. */
  sessionClosed: string
  /** Exists while automatic approvals are paused for all missions. */
  hold: string
  /** One FIFO per process that wants to know when a mission changes. */
  followers: string
  missions: string
  mission(id: MissionId): MissionPaths
}

/** The paths of one mission. Each is built on access, because a list of a thousand missions needs only one of them. */
export class MissionPaths {
  readonly root: string

  constructor(root: string) {
    this.root = root
  }

  /** Claude's working directory. */
  get agent(): string {
    return `${this.root}/agent`
  }

  /** The first prompt. Deleted when Claude has taken it. */
  get prompt(): string {
    return `${this.root}/prompt`
  }

  /** The first prompt, from the moment at which Claude has taken it until that is stored. */
  get promptTaken(): string {
    return `${this.root}/prompt-taken`
  }

  /** Exists while automatic approvals are paused for this mission. */
  get hold(): string {
    return `${this.root}/hold`
  }

  /** Exists once a Claude was started with a first prompt that is a /command. */
  get commandGiven(): string {
    return `${this.root}/command-given`
  }

  /** Names the process that still fills the directory. */
  get maker(): string {
    return `${this.root}/maker`
  }

  /** A copy of the parts of its record that nothing else can tell, in case the store is lost. */
  get record(): string {
    return `${this.root}/record.json`
  }

  /** Reviews that are being written. */
  get reviewDrafts(): string {
    return `${this.root}/review-drafts`
  }

  /** The comments of a review that is finished. */
  review(number: number): string {
    return `${this.root}/review-${number}.md`
  }

  /** What Claude said last, whole. */
  get lastMessage(): string {
    return `${this.root}/last-message`
  }

  /** The answer of the hook that tells Claude how to run missions. */
  get prime(): string {
    return `${this.root}/run/prime.json`
  }

  /** What a Claude without a terminal writes to its standard output and error. */
  get outputLog(): string {
    return `${this.root}/output.log`
  }

  get setupLog(): string {
    return `${this.root}/setup.log`
  }

  get wrapperLog(): string {
    return `${this.root}/wrapper.log`
  }

  /** The first port and the directory of the mission, for shells that the user opens beside it. */
  get shellPlace(): string {
    return `${this.root}/shell-place`
  }

  /** The files that a running wrapper shares with its Claude and with other agenc commands. */
  get run(): string {
    return `${this.root}/run`
  }

  /** The spool: one file per event. */
  get events(): string {
    return `${this.root}/run/ev`
  }

  /** Says which process is the wrapper and, if the store could not be written, how its run ended. */
  get wrapperNote(): string {
    return `${this.root}/run/wrapper`
  }

  /** The place of its last window in the session. */
  get windowPlace(): string {
    return `${this.root}/window`
  }

  /** A FIFO that the wrapper holds open as long as it lives. */
  get lifeSign(): string {
    return `${this.root}/run/alive`
  }

  /** The FIFO that wakes the wrapper up. */
  get wakeup(): string {
    return `${this.root}/run/bell`
  }

  /** What the switcher shows of the mission above its screen: the open requests, or Claude's last message. */
  get preview(): string {
    return `${this.root}/run/preview`
  }

  /** FIFOs on which hooks wait for an answer. */
  get asks(): string {
    return `${this.root}/run/ask`
  }

  /** Exists while agenc types a message. Claude's hook then asks before it takes a prompt. */
  get gate(): string {
    return `${this.root}/run/gate`
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
    configCache: join(home, 'config.prepared.json'),
    repos: join(home, 'repos'),
    repoChoices: join(home, 'repo-choices'),
    tmuxSocket: join(home, 'tmux-socket'),
    sessionClosed: join(home, 'session-closed'),
    hold: join(home, 'hold'),
    followers: join(home, 'followers'),
    missions,
    mission: id => new MissionPaths(`${missions}/${id}`),
  }
}
