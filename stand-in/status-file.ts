import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { systemRunner } from '../src/system/runner.ts'
import { processStart } from './process-start.ts'
import { claudeVersion } from './version.ts'

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
  const answer = systemRunner.capture('tmux', ['display-message', '-p', '-t', env.TMUX_PANE, format], { env })
  return answer.exitCode === 0 ? { tmux: answer.stdout.trim() } : {}
}
