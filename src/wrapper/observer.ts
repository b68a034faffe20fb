import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { type HookEvent, isObject, parseHookEvent } from '../claude/hook-event.ts'
import type { ClaudeStatus } from '../claude/status-file.ts'
import { recordEvent } from '../db/events.ts'
import { getMission, type MissionChange, updateMission } from '../db/missions.ts'
import type { Database } from '../db/open.ts'
import { linkPlan } from '../db/plans.ts'
import type { MissionId } from '../mission/id.ts'
import { missionName } from '../mission/naming.ts'
import { afterHook, afterStatus, type Live } from './live.ts'
import type { Log } from './log.ts'
import { questionOf } from './question.ts'
import { sweepSpool } from './spool.ts'

/** A word from another agenc command to this wrapper. */
export type Control = 'restart'

export interface ObserverOptions {
  db: Database
  id: MissionId
  now: () => Date
  log: Log
  eventsDirectory: string
  plansDirectory: string
  isWriting: (pid: number) => boolean
  onControl: (control: Control) => void
  /** Told after each change that was stored. */
  onStored: (live: Live, isRenamed: boolean) => void
}

/** Follows what Claude reports and stores each change at once, with the history of it. */
export class Observer {
  live: Live
  /** Told after every change was stored. */
  onChange: () => void = () => {}
  readonly #options: ObserverOptions
  #lastQuestion = { text: '', atMs: 0 }

  constructor(live: Live, options: ObserverOptions) {
    this.live = live
    this.#options = options
  }

  /** Reads what hooks have left, each file once: its key is stored with what it changed. */
  readSpool(): void {
    const { db, id, eventsDirectory, isWriting, log } = this.#options
    const { files, rejected } = sweepSpool(eventsDirectory, isWriting)
    const before = this.live
    if (files.length > 0) {
      const done = new Set<string>(JSON.parse(getMission(db, id)?.spool_done ?? '[]'))
      const fresh = files.filter(({ key }) => !done.has(key))
      db.transaction(() => {
        for (const { text } of fresh) this.#take(text)
        updateMission(db, id, { spool_done: JSON.stringify(files.map(({ key }) => key)) })
      }).immediate()
    }
    for (const { path, reason } of rejected) log(`dropped ${path}: ${reason}`)
    for (const { path } of [...files, ...rejected]) rmSync(path, { force: true })
    if (this.live !== before) this.onChange()
  }

  seeStatus(status: ClaudeStatus): void {
    const before = this.live
    this.#become(afterStatus(before, status))
    if (this.live !== before) this.onChange()
  }

  #take(text: string): void {
    const event = parseHookEvent(text)
    if (event === null) {
      this.#takeControl(text)
      return
    }
    this.#become(afterHook(this.live, event))
    this.#notePlan(event)
    this.#noteQuestion(event)
  }

  #takeControl(text: string): void {
    const data: unknown = JSON.parse(text)
    if (isObject(data) && data.agenc === 'restart') {
      this.#options.onControl('restart')
      this.live = { ...this.live }
    } else this.#options.log('dropped an event that is neither a hook nor a command')
  }

  /** Stores what differs. */
  #become(next: Live): void {
    const { db, id, now } = this.#options
    const before = this.live
    const at = now().toISOString()
    const change = changeOf(before, next, at)
    this.live = next
    if (Object.keys(change).length === 0) return
    db.transaction(() => {
      updateMission(db, id, { ...change, last_active_at: at })
      for (const [kind, data] of historyOf(change)) recordEvent(db, id, at, kind, data)
    }).immediate()
    this.#options.onStored(next, 'name' in change)
  }

  #notePlan({ toolInput, name }: HookEvent): void {
    const path = toolInput.file_path ?? toolInput.planFilePath
    const { db, id, now, plansDirectory } = this.#options
    if (name === 'PermissionRequest' || name === 'PreToolUse' || name === 'PostToolUse') {
      if (typeof path !== 'string' || !path.endsWith('.md') || dirname(path) !== plansDirectory) return
      const at = now().toISOString()
      if (linkPlan(db, id, path, at)) recordEvent(db, id, at, 'plan', { path })
    }
  }

  #noteQuestion(event: HookEvent): void {
    const text = questionOf(event)
    if (text === null) return
    const { db, id, now } = this.#options
    const atMs = now().getTime()
    const isRepeated = text === this.#lastQuestion.text && atMs - this.#lastQuestion.atMs < 10_000
    this.#lastQuestion = { text, atMs }
    if (!isRepeated) recordEvent(db, id, now().toISOString(), 'question', { text })
  }
}

function changeOf(before: Live, next: Live, at: string): MissionChange {
  const change: MissionChange = {}
  if (
    next.state !== before.state ||
    next.waitingFor !== before.waitingFor ||
    next.background !== before.background
  ) {
    const isWaiting = next.state === 'waiting'
    change.state = next.state
    change.waiting_for = next.waitingFor
    change.background = next.background ? 1 : 0
    change.waiting_since = isWaiting ? at : null
  }
  if (next.sessionId !== before.sessionId) change.session_id = next.sessionId
  if (next.sessionBegun !== before.sessionBegun) change.session_begun = next.sessionBegun ? 1 : 0
  if (next.transcriptPath !== before.transcriptPath) change.transcript_path = next.transcriptPath
  if (next.mode !== before.mode) {
    change.reported_permission_mode = next.mode
    if (next.mode !== next.firstMode || before.mode !== before.firstMode) change.permission_mode = next.mode
  }
  if (next.claudeName !== before.claudeName && next.claudeName !== null)
    change.name = missionName(next.claudeName)
  return change
}

function historyOf(change: MissionChange): [kind: string, data: Record<string, unknown>][] {
  const { state, waiting_for, background, session_id, permission_mode, name } = change
  return [
    ...(state === undefined
      ? []
      : [['state', { state, waiting_for, background: background === 1 }] as const]),
    ...(session_id === undefined ? [] : [['session', { session_id }] as const]),
    ...(permission_mode === undefined ? [] : [['permission_mode', { mode: permission_mode }] as const]),
    ...(name === undefined ? [] : [['renamed', { name }] as const]),
  ].map(([kind, data]) => [kind, data])
}
