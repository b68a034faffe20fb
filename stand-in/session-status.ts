import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { claudeVersion } from './release.ts'

export type Status = 'idle' | 'busy' | 'waiting' | 'shell'
export type WaitingFor = 'permission prompt' | 'input needed' | 'dialog open'
export type NameSource = 'user' | 'derived'

/** `sessions/<pid>.json`, in which Claude publishes its state while it runs. */
export class StatusFile {
  private readonly path: string
  private content: Record<string, unknown>

  constructor(
    directory: string,
    about: { sessionId: string; cwd: string; name: string; env: NodeJS.ProcessEnv; entrypoint?: string },
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
      entrypoint: about.entrypoint ?? 'cli',
      ...tmuxPlace(about.env),
      name: about.name,
      nameSource: 'derived',
      nameSince: now,
    }
  }

  open(more: Record<string, unknown> = {}): void {
    Object.assign(this.content, more)
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

  /** Writes in place, as Claude does, so a reader may see an incomplete file. */
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

export interface Activity {
  /** True while a prompt or a slash command is in progress. */
  busy: boolean
  subagents: number
  shells: number
  waitingFor?: WaitingFor
}

/** `shell` means that Claude is idle while a command runs in the background. */
export function statusOf(activity: Activity): { status: Status; waitingFor?: WaitingFor } {
  if (activity.waitingFor) return { status: 'waiting', waitingFor: activity.waitingFor }
  if (activity.busy || activity.subagents > 0) return { status: 'busy' }
  return { status: activity.shells > 0 ? 'shell' : 'idle' }
}

/** Updates the status file and the screen after something changed. */
export class StatusReporter {
  private readonly file: StatusFile | undefined
  private readonly activity: () => Activity
  private readonly refresh: () => void
  private live = false
  private pending = false

  constructor(file: StatusFile | undefined, activity: () => Activity, refresh: () => void) {
    this.file = file
    this.activity = activity
    this.refresh = refresh
  }

  /** Starts writing the status. Before this call, only the screen is updated. */
  open(): void {
    this.live = true
    this.changed()
  }

  close(): void {
    this.live = false
  }

  /** Waits for the end of the current tick, so that a refused tool does not appear busy for a moment. */
  changed(): void {
    if (this.pending) return
    this.pending = true
    setImmediate(() => {
      this.pending = false
      const { status, waitingFor } = statusOf(this.activity())
      if (this.live) this.file?.status(status, waitingFor)
      this.refresh()
    })
  }
}

/**
 * Together with the pid, the start time identifies a process even after its pid is reused. The format depends
 * on the platform.
 */
export function processStart(pid: number): string | undefined {
  return process.platform === 'linux' ? startTicks(pid) : startTime(pid)
}

/** The command name may contain spaces and parentheses, so fields are counted from the last parenthesis. */
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
