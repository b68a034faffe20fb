import { basename } from 'node:path'
import {
  afterAnswer,
  afterHook,
  afterStatus,
  isNews,
  type Live,
  withStoredMode,
} from '../claude/claude-state.ts'
import { type HookEvent, parseHookEvent } from '../claude/hook-event.ts'
import { planOf, questionOf, RecentQuestions } from '../claude/plans-and-questions.ts'
import type { ClaudeStatus } from '../claude/status-file.ts'
import { holdsConversation } from '../claude/transcript.ts'
import { recordEvent } from '../db/events.ts'
import type { MissionRecord } from '../db/mission-record.ts'
import { getMission, updateMission } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { linkPlan } from '../db/plans.ts'
import { removeFile } from '../io/files.ts'
import type { MissionId } from '../mission-id.ts'
import { parseWord, type Word } from './control-message.ts'
import type { Log } from './log.ts'
import { changeOf, historyOf } from './record-diff.ts'
import type { Requests } from './requests.ts'
import { type SpooledFile, sweepSpool } from './spool.ts'

export interface ObserverOptions {
  db: Database
  id: MissionId
  now: () => Date
  log: Log
  eventsDirectory: string
  planDirectories: readonly string[]
  requests: Pick<Requests, 'take' | 'drop' | 'seeStatus' | 'hasOpen'>
  /** Now or soon: requests are judged by the settings as they are. */
  whenReady: (work: () => void) => void
  onWord: (word: Word) => void
  /** Told after each change that was stored. */
  onStored: (live: Live, isRenamed: boolean) => void
}

/** Follows what Claude reports and stores each change at once, with the history of it. */
export class Observer {
  /** Told after everything that was reported. */
  onReport: () => void = () => {}
  readonly #options: ObserverOptions
  readonly #questions = new RecentQuestions()
  #live: Live
  #atStart: MissionRecord
  #isChanged = false
  #isRenamed = false
  /** Which of the files that are not stored yet were answered at once. */
  readonly #responses = new Map<string, boolean>()
  /** Something was reported that could not be read or stored. */
  #isBehind = false
  #lateStatus: ClaudeStatus | null = null

  constructor(mission: MissionRecord, live: Live, options: ObserverOptions) {
    this.#atStart = mission
    this.#live = live
    this.#options = options
  }

  get live(): Live {
    return this.#live
  }

  /** Another Claude is about to start. */
  begin(mission: MissionRecord, live: Live): void {
    this.#atStart = mission
    this.#lateStatus = null
    this.#store(() => this.#become(live))
  }

  /** At a ring of the bell. */
  hear(): void {
    this.#options.whenReady(() => this.readSpool())
  }

  /** Reads what hooks have left, each file once: its key is stored with what it changed. */
  readSpool(): void {
    this.#try(() => this.#readSpool())
    this.onReport()
  }

  /** The file may be ahead of the hooks: what became of a request, they tell better. */
  seeStatus(status: ClaudeStatus): void {
    if (!isNews(this.#live, status)) return
    if (this.#options.requests.hasOpen) this.#seeStatusAfterHooks(status)
    else this.#takeStatus(status)
  }

  #seeStatusAfterHooks(status: ClaudeStatus): void {
    const claude = this.#atStart
    this.#options.whenReady(() => {
      this.readSpool()
      if (claude === this.#atStart && isNews(this.#live, status)) this.#takeStatus(status)
    })
  }

  /** Nobody rings again for what could not be stored, on a disk that was full for a while. */
  lookAgain(): void {
    if (!this.#isBehind) return
    const status = this.#lateStatus
    this.#isBehind = false
    this.#lateStatus = null
    this.hear()
    if (status) this.seeStatus(status)
  }

  /** A request was answered, but not in its dialog. */
  seeAnswer(): void {
    this.#try(() => this.#store(() => this.#become(afterAnswer(this.#live))))
    this.onReport()
  }

  /** A store that cannot be read for once costs a report, which is read again later, not the mission. */
  #try(work: () => boolean): void {
    try {
      if (work()) return
    } catch (error) {
      this.#options.log(`a report could not be taken: ${String(error)}`)
    }
    this.#isBehind = true
  }

  #takeStatus(status: ClaudeStatus): void {
    this.#lateStatus = status
    this.#try(() => {
      this.#options.requests.seeStatus(status.status, status.updatedAtMs)
      const isStored = this.#store(() => this.#become(afterStatus(this.#live, status)))
      if (isStored) this.#lateStatus = null
      return isStored
    })
    this.onReport()
  }

  #readSpool(): boolean {
    const { db, id, eventsDirectory, now, requests, log } = this.#options
    const { files, rejected } = sweepSpool(eventsDirectory, now().getTime())
    if (files.length + rejected.length === 0) return true
    const done = new Set<string>(JSON.parse(getMission(db, id)?.spool_done ?? '[]'))
    const fresh = files.filter(({ key }) => !done.has(key))
    for (const file of fresh) this.#respond(file)
    const isStored =
      files.length === 0 ||
      this.#store(() => {
        for (const { key, text } of fresh) this.#take(text, this.#responses.get(key))
        updateMission(db, id, { spool_done: JSON.stringify(files.map(({ key }) => key)) })
      })
    if (isStored) this.#responses.clear()
    for (const { path, reason } of rejected) {
      log(`dropped ${path}: ${reason}`)
      requests.drop(basename(path))
    }
    for (const { path } of isStored ? [...files, ...rejected] : rejected) removeFile(path)
    return isStored
  }

  /** All or nothing. A store that cannot be written to must not end a mission: the report is read again later. */
  #store(work: () => void): boolean {
    const before = this.#live
    this.#isChanged = false
    this.#isRenamed = false
    try {
      this.#options.db.transaction(work).immediate()
    } catch (error) {
      this.#live = before
      this.#options.log(`not stored: ${error instanceof Error ? error.message : String(error)}`)
      return false
    }
    if (this.#isChanged) this.#options.onStored(this.#live, this.#isRenamed)
    return true
  }

  /** A hook waits, so it comes first; and once, also when the store has to be tried again. */
  #respond({ key, path, text }: SpooledFile): void {
    if (this.#responses.has(key)) return
    const { requests, onWord, log } = this.#options
    this.#responses.set(key, false)
    try {
      const event = parseHookEvent(text)
      const word = event === null ? parseWord(text) : null
      if (event !== null) this.#responses.set(key, requests.take(event, basename(path)))
      else if (word !== null) onWord(word)
      else log('dropped an event that is neither a hook nor a command')
    } catch (error) {
      log(`no answer to ${path}: ${String(error)}`)
    }
  }

  #take(text: string, isAnswered: boolean | undefined): void {
    const event = parseHookEvent(text)
    if (event === null) return
    this.#become(afterHook(this.#live, event, isAnswered))
    this.#notePlan(event)
    this.#noteQuestion(event)
  }

  #become(reported: Live): void {
    const { db, id, now } = this.#options
    const begun = { ...reported, sessionBegun: reported.sessionBegun || isWritten(reported.transcriptPath) }
    const isChange = begun.mode !== null && begun.mode !== this.#live.mode
    const next = isChange ? this.#withStoredMode(begun) : begun
    const at = now().toISOString()
    const change = changeOf(this.#live, next, this.#atStart, at)
    this.#live = next
    if (Object.keys(change).length === 0) return
    this.#isChanged = true
    this.#isRenamed ||= 'name' in change
    updateMission(db, id, { ...change, last_active_at: at })
    for (const [kind, data] of historyOf(change)) recordEvent(db, id, at, kind, data)
  }

  #withStoredMode(next: Live): Live {
    const { db, id } = this.#options
    return withStoredMode(this.#live, next, getMission(db, id)?.permission_mode ?? null)
  }

  #notePlan(event: HookEvent): void {
    const { db, id, now, planDirectories } = this.#options
    const path = planOf(event, planDirectories)
    const at = now().toISOString()
    if (path !== null && linkPlan(db, id, path, at)) recordEvent(db, id, at, 'plan', { path })
  }

  #noteQuestion(event: HookEvent): void {
    const { db, id, now } = this.#options
    const text = questionOf(event)
    if (text !== null && this.#questions.note(text, now().getTime()))
      recordEvent(db, id, now().toISOString(), 'question', { text })
  }
}

/** A prompt alone proves nothing: one that was taken back at once leaves no conversation. */
function isWritten(transcriptPath: string | null): boolean {
  return transcriptPath !== null && holdsConversation(transcriptPath)
}
