import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { claudeVersion } from './release.ts'

export type Status = 'idle' | 'busy' | 'waiting' | 'shell'
export type WaitingFor = 'permission prompt' | 'input needed' | 'dialog open'
export type NameSource = 'user' | 'derived'

/** `sessions/<pid>.json`: what other programs may know of this one while it runs. */
export class StatusFile {
  private readonly path: string
  private content: Record<string, unknown>

  constructor(
    directory: string,
    about: { sessionId: string; cwd: string; name: string; env: NodeJS.ProcessEnv },
  ) {
    const now = Date.now()
    this.path = join(directory, `${process.pid}.json`)
    this.content = {
      pid: process.pid,
      sessionId: about.sessionId,
      cwd: about.cwd,
      startedAt: now,
      procStart: processStart(process.pid),
      version: claudeVersion,
      kind: 'interactive',
      entrypoint: 'cli',
      ...tmuxPlace(about.env),
      name: about.name,
      nameSource: 'derived',
      nameSince: now,
    }
  }

  open(): void {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 })
    this.write()
  }

  session(sessionId: string): void {
    this.change({ sessionId })
  }

  name(name: string, nameSource: NameSource): void {
    this.change({ name, nameSource, nameSince: Date.now() })
  }

  status(status: Status, waitingFor?: WaitingFor): void {
    if (this.content.status === status && this.content.waitingFor === waitingFor) return
    this.change({ status, statusUpdatedAt: Date.now(), waitingFor })
  }

  remove(): void {
    rmSync(this.path, { force: true })
  }

  private change(part: Record<string, unknown>): void {
    Object.assign(this.content, part, { updatedAt: Date.now() })
    this.write()
  }

  /** In place, as Claude does it: a reader may find half a file. */
  private write(): void {
    writeFileSync(this.path, JSON.stringify(this.content), { mode: 0o600 })
  }
}

function tmuxPlace(env: NodeJS.ProcessEnv): { tmux?: string } {
  if (!env.TMUX || !env.TMUX_PANE) return {}
  const format = '#{session_name}:#{window_id}.#{pane_id}'
  const args = ['display-message', '-p', '-t', env.TMUX_PANE, format]
  const { status, stdout } = spawnSync('tmux', args, { env, encoding: 'utf8' })
  return status === 0 ? { tmux: stdout.trim() } : {}
}

export interface Doings {
  /** A prompt or a command is being worked on. */
  busy: boolean
  subagents: number
  shells: number
  waitingFor?: WaitingFor
}

/** `shell`: nothing to do, but a command still runs in the background. */
export function statusOf(doings: Doings): { status: Status; waitingFor?: WaitingFor } {
  if (doings.waitingFor) return { status: 'waiting', waitingFor: doings.waitingFor }
  if (doings.busy || doings.subagents > 0) return { status: 'busy' }
  return { status: doings.shells > 0 ? 'shell' : 'idle' }
}

/** Tells the status file and the screen what changed, once everything that follows from a change has happened. */
export class StatusBoard {
  private readonly file: StatusFile | undefined
  private readonly doings: () => Doings
  private readonly refresh: () => void
  private live = false
  private pending = false

  constructor(file: StatusFile | undefined, doings: () => Doings, refresh: () => void) {
    this.file = file
    this.doings = doings
    this.refresh = refresh
  }

  /** From now on there is a status to tell. */
  open(): void {
    this.live = true
    this.changed()
  }

  close(): void {
    this.live = false
  }

  /** Not at once: a tool that is refused must not look busy for a moment. */
  changed(): void {
    if (this.pending) return
    this.pending = true
    setImmediate(() => {
      this.pending = false
      const { status, waitingFor } = statusOf(this.doings())
      if (this.live) this.file?.status(status, waitingFor)
      this.refresh()
    })
  }
}

/** When this process started, in the terms of the platform: with the pid it names a process for good. */
export function processStart(pid: number): string | undefined {
  return process.platform === 'linux' ? startTicks(pid) : startTime(pid)
}

/** The command's name may hold blanks and brackets, so fields are counted from the last bracket. */
function startTicks(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

function startTime(pid: number): string | undefined {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { env, encoding: 'utf8' })
  return stdout?.trim() || undefined
}
