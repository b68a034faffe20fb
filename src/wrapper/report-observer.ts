import { basename, dirname } from 'node:path'
import type { Agent, TurnResult } from '../claude/agent.ts'
import type { AgentStatus, ReplyChannel, Report } from '../claude/agent-report.ts'
import { holdsConversation, lastMessageIn } from '../claude/transcript.ts'
import type { MissionChange, MissionRecord } from '../db/missions.ts'
import { removeFile } from '../io/files.ts'
import { setAside } from '../io/set-aside.ts'
import { aboutFrom } from '../mission/about.ts'
import type { MissionService, MissionWriter } from '../mission/service.ts'
import type { MissionId } from '../mission-id.ts'
import {
  afterAnswer,
  afterReport,
  afterStatus,
  type ClaudeState,
  isNews,
  stateAfterCrash,
  withOldStatus,
  withStoredMode,
} from './claude-state.ts'
import { type ControlMessage, parseControlMessage } from './control-message.ts'
import { listSpool, readInBatches, type SpoolBatch, type SpooledFile } from './event-spool.ts'
import type { Log } from './log.ts'
import type { Requests } from './permission-requests.ts'
import { RecentQuestions } from './recent-questions.ts'
import { historyOf, messageColumn, recordDiff } from './record-diff.ts'
import { resultColumns } from './result-columns.ts'

export interface ObserverOptions {
  missions: MissionService
  mission: MissionRecord
  agent: Pick<Agent, 'readReport' | 'openChannel'>
  requests: Pick<Requests, 'take' | 'seeStatus' | 'hasOpen'>
  events: string
  now: () => Date
  log: Log
  /** Runs the work as soon as requests can be compared with the current settings, which may be at once. */
  whenReady: (work: () => void) => void
}

/** The content of a spooled file. */
interface Spooled {
  report: Report | null
  isAnswered: boolean
}

/** Follows what Claude reports, and stores each change at once together with its history. */
export class Observer {
  /** Called after each report. */
  onReport: () => void = () => {}
  /** Called after each report, status and answer, once it is stored. Not every one changes the mission's record. */
  onNews: () => void = () => {}
  /** Called with each report once it is stored. */
  onStored: (report: Report) => void = () => {}
  onControlMessage: (message: ControlMessage) => void = () => {}
  /** Called before the report is stored: a crash in between must not make the prompt look unused. */
  onPromptTaken: (prompt: string | null) => void = () => {}
  /** Called with each report before it is stored. Returns true if Claude was told not to take that prompt. */
  onHeard: (report: Report, channel: ReplyChannel | null) => boolean = () => false
  /** Called when a turn has ended with a message, before that is stored: the text is there when the new state is seen. */
  onMessage: (text: string) => void = () => {}
  readonly #options: ObserverOptions
  readonly #id: MissionId
  readonly #questions = new RecentQuestions()
  #state: ClaudeState
  /** When Claude reported its latest prompt. */
  #promptBornMs = 0
  #atStart: MissionRecord
  /** Files that were answered but are not stored yet, by their key. */
  readonly #answered = new Map<string, Spooled>()
  /** Entries of the spool that are no events and cannot be removed, by their key. */
  readonly #stuck = new Set<string>()
  /** Reports from outside the spool that are not stored yet. */
  readonly #unstored: { report: Report; isAnswered: boolean }[] = []
  /** True if a report could not be read or stored. */
  #isBehind = false
  #lateStatus: AgentStatus | null = null
  /** What a Claude without a terminal told about its turn, as long as it is not stored. */
  #lateResult: MissionChange = {}

  constructor(options: ObserverOptions) {
    this.#options = options
    this.#id = options.mission.id
    this.#atStart = options.mission
    this.#state = stateAfterCrash(options.mission)
  }

  get claude(): ClaudeState {
    return this.#state
  }

  /** Call it when another Claude has been started. */
  begin(mission: MissionRecord, state: ClaudeState): void {
    this.#atStart = mission
    this.#lateStatus = null
    this.#unstored.length = 0
    this.#store(writer => this.#become(writer, state))
  }

  onWakeup(): void {
    this.#options.whenReady(() => this.readSpool())
  }

  /** Reads the files of hooks and other commands. A file is read only once: its key is stored together with the change. */
  readSpool(): void {
    this.#try(() => this.#readSpool())
    this.#tellNews()
  }

  /** Takes a report that did not come through the spool. It is kept in memory until it is stored. */
  seeReport(report: Report, channel: ReplyChannel | null): void {
    this.#options.whenReady(() => {
      if (this.#isRefused(report, channel)) return
      this.#unstored.push({ report, isAnswered: this.#tryToAnswer(report, channel) })
      this.#try(() => this.#storeReports())
      this.#tellNews()
    })
  }

  #storeReports(): boolean {
    const reports = [...this.#unstored]
    const isStored = this.#store(writer => {
      for (const { report, isAnswered } of reports) this.#take(writer, report, isAnswered)
    })
    if (!isStored) return false
    this.#unstored.splice(0, reports.length)
    for (const { report } of reports) this.onStored(report)
    return true
  }

  #tryToAnswer(report: Report, channel: ReplyChannel | null): boolean {
    if (report.kind === 'prompt-taken' && report.agentId === null) this.#notePrompt(report.prompt)
    try {
      return this.#options.requests.take(report, channel)
    } catch (error) {
      this.#options.log(`no answer to a report: ${String(error)}`)
      channel?.giveUp()
      return false
    }
  }

  #notePrompt(prompt: string | null): void {
    try {
      this.onPromptTaken(prompt)
    } catch (error) {
      this.#options.log(`the prompt could not be removed: ${String(error)}`)
    }
  }

  /**
   * While a request is open, the spool is read first, because reports say more exactly how it was answered. So does the
   * report of a turn's end, which was written before the status.
   */
  seeStatus(status: AgentStatus): void {
    if (!isNews(this.#state, status)) return
    const isAtRest = status.activity === 'idle' || status.activity === 'background'
    if (this.#options.requests.hasOpen || isAtRest) this.#seeStatusAfterReports(status)
    else this.#takeStatus(status)
  }

  #seeStatusAfterReports(status: AgentStatus): void {
    const claude = this.#atStart
    const wasBusy = this.#state.state === 'busy'
    this.#options.whenReady(() => {
      this.readSpool()
      if (claude !== this.#atStart || !isNews(this.#state, status)) return
      // Claude reports a prompt before its status shows that it works on it.
      const isOlderThanPrompt = !wasBusy && status.updatedAtMs < this.#promptBornMs
      if (isOlderThanPrompt && this.#state.state === 'busy') this.#state = withOldStatus(this.#state, status)
      else this.#takeStatus(status)
    })
  }

  /** Retries after a failure to store, for instance on a full disk. No further wake-up comes for the same report. */
  tryAgain(): void {
    if (!this.#isBehind) return
    const status = this.#lateStatus
    this.#isBehind = false
    this.#lateStatus = null
    if (this.#unstored.length > 0) this.#try(() => this.#storeReports())
    this.onWakeup()
    if (Object.keys(this.#lateResult).length > 0) this.#try(() => this.#storeLateResult())
    if (status) this.seeStatus(status)
  }

  /** Call it when a request was answered, but not in its dialog. */
  seeAnswer(): void {
    this.#try(() => this.#store(writer => this.#become(writer, afterAnswer(this.#state))))
    this.#tellNews()
  }

  /** A turn of a Claude without a terminal has ended. The report that it began, which drops the last result, comes first. */
  seeResult(result: TurnResult, { timeRanOut = false } = {}): void {
    const change = resultColumns(result, this.#options.now(), { timeRanOut })
    this.#options.whenReady(() => {
      this.readSpool()
      this.#storeResult(change)
    })
  }

  /** Call it when Claude has ended, and could not tell a result because its time was up. */
  seeTimeout(result: TurnResult): void {
    this.#storeResult(resultColumns(result, this.#options.now(), { timeRanOut: true }))
  }

  seeUsageLimit(resetsAt: Date): void {
    this.#storeResult({ resets_at: resetsAt.toISOString() })
  }

  #storeResult(change: MissionChange): void {
    this.#lateResult = { ...this.#lateResult, ...change }
    this.#try(() => this.#storeLateResult())
    this.#tellNews()
  }

  /** Reads the spool first: the report of the prompt, which may still be there, removes the result before it. */
  #storeLateResult(): boolean {
    if (!this.#readSpool()) return false
    const isStored = this.#store(writer => writer.change(this.#id, this.#lateResult))
    if (isStored) this.#lateResult = {}
    return isStored
  }

  #tellNews(): void {
    this.onNews()
    this.onReport()
  }

  /** A temporary failure of the store must not end the mission. The report is read again later. */
  #try(work: () => boolean): void {
    try {
      if (work()) return
    } catch (error) {
      this.#options.log(`a report could not be processed: ${String(error)}`)
    }
    this.#isBehind = true
  }

  #takeStatus(status: AgentStatus): void {
    this.#lateStatus = status
    this.#try(() => {
      this.#options.requests.seeStatus(status)
      const isStored = this.#store(writer => this.#become(writer, afterStatus(this.#state, status)))
      if (isStored) this.#lateStatus = null
      return isStored
    })
    this.#tellNews()
  }

  #readSpool(): boolean {
    const { missions, events, now } = this.#options
    const entries = listSpool(events).filter(({ key }) => !this.#stuck.has(key))
    if (entries.length === 0) return true
    const done = new Set<string>(JSON.parse(missions.get(this.#id)?.spool_done ?? '[]'))
    // A killed wrapper may have stored a batch without removing it. The next batch replaces the list of its keys.
    for (const { key, path } of entries) if (done.has(key)) removeFile(path)
    const fresh = entries.filter(({ key }) => !done.has(key))
    let isComplete = true
    for (const batch of readInBatches(fresh, now().getTime())) {
      this.#reject(batch.rejected)
      if (!this.#storeBatch(batch.files)) return false
      if (batch.unread > 0) isComplete = false
    }
    return isComplete
  }

  #storeBatch(files: readonly SpooledFile[]): boolean {
    if (files.length === 0) return true
    const spooled = files.map(file => this.#answer(file))
    const isStored = this.#store(writer => {
      for (const { report, isAnswered } of spooled) if (report) this.#take(writer, report, isAnswered)
      writer.change(this.#id, { spool_done: JSON.stringify(files.map(({ key }) => key)) })
    })
    if (!isStored) return false
    this.#answered.clear()
    for (const { path } of files) removeFile(path)
    for (const { report } of spooled) if (report) this.onStored(report)
    return true
  }

  /** Writes one message per reason, because thousands of entries may be rejected at once. */
  #reject(rejected: SpoolBatch['rejected']): void {
    const { events, agent, log } = this.#options
    for (const { path, key } of rejected) {
      agent.openChannel(unreadable, basename(path))?.giveUp()
      if (!setAside(dirname(events), path)) this.#stuck.add(key)
    }
    for (const reason of new Set(rejected.map(entry => entry.reason))) {
      const [first, ...more] = rejected.filter(entry => entry.reason === reason)
      log(`dropped ${first!.path}${more.length > 0 ? ` and ${more.length} more` : ''}: ${reason}`)
    }
  }

  /** Writes all or nothing. Returns whether it was written. */
  #store(work: (writer: MissionWriter) => void): boolean {
    const before = this.#state
    try {
      this.#options.missions.write(work)
      return true
    } catch (error) {
      this.#state = before
      this.#options.log(`not stored: ${error instanceof Error ? error.message : String(error)}`)
      return false
    }
  }

  /** Answers before storing, because a hook waits. Answers only once, even if storing is retried. */
  #answer({ key, path, bornMs, data }: SpooledFile): Spooled {
    const known = this.#answered.get(key)
    if (known) return known
    const { agent } = this.#options
    const report = agent.readReport(data)
    if (report?.kind === 'prompt-taken' && report.agentId === null) this.#promptBornMs = bornMs
    const spooled = report === null ? this.#takeCommand(data) : this.#hear(report, basename(path))
    this.#answered.set(key, spooled)
    return spooled
  }

  #takeCommand(data: unknown): Spooled {
    this.#takeMessage(parseControlMessage(data))
    return { report: null, isAnswered: false }
  }

  #hear(report: Report, sender: string): Spooled {
    const channel = this.#options.agent.openChannel(report, sender)
    if (this.#isRefused(report, channel)) return { report: null, isAnswered: true }
    return { report, isAnswered: this.#tryToAnswer(report, channel) }
  }

  #isRefused(report: Report, channel: ReplyChannel | null): boolean {
    try {
      return this.onHeard(report, channel)
    } catch (error) {
      this.#options.log(`a report was not compared with the messages: ${String(error)}`)
      return false
    }
  }

  #takeMessage(message: ControlMessage | null): void {
    try {
      if (message !== null) this.onControlMessage(message)
      else this.#options.log('dropped an event that is neither a report nor a message')
    } catch (error) {
      this.#options.log(`a message could not be taken: ${String(error)}`)
    }
  }

  #take(writer: MissionWriter, report: Report, isAnswered: boolean): void {
    this.#become(writer, afterReport(this.#state, report, isAnswered))
    if (report.kind === 'prompt-taken' && report.agentId === null) this.#onPrompt(writer, report.prompt)
    if (report.kind === 'turn-ended' && report.failure !== null && report.agentId === null)
      writer.change(this.#id, {}, [turnFailedEvent, { failure: report.failure }])
    if (!('use' in report)) return
    if (report.planPath !== null) writer.linkPlan(this.#id, report.planPath)
    const { question } = report
    if (question !== null && this.#questions.isNew(question, this.#options.now().getTime()))
      writer.change(this.#id, {}, ['question', { text: question }])
  }

  /** Only the first prompt says what a mission is about. Until the turn ends, it has no result. */
  #onPrompt(writer: MissionWriter, prompt: string | null): void {
    const about = aboutFrom(prompt)
    const stored = writer.get(this.#id)
    if (about !== null && stored?.about === null) writer.change(this.#id, { about })
    if (stored && stored.result !== null) writer.change(this.#id, { result: null })
  }

  #tellMessage(message: string): void {
    try {
      this.onMessage(message)
    } catch (error) {
      this.#options.log(`Claude's last message could not be kept: ${String(error)}`)
    }
  }

  #become(writer: MissionWriter, reported: ClaudeState): void {
    const begun = { ...reported, sessionBegun: reported.sessionBegun || isWritten(reported.transcriptPath) }
    const isModeChanged = begun.mode !== null && begun.mode !== this.#state.mode
    const stored = isModeChanged ? (writer.get(this.#id)?.permission_mode ?? null) : null
    const next = isModeChanged ? withStoredMode(this.#state, begun, stored) : begun
    const message = newMessage(this.#state, next)
    if (message !== null) this.#tellMessage(message)
    const change = {
      ...recordDiff(this.#state, next, this.#atStart, writer.at),
      ...(message === null ? {} : messageColumn(message)),
    }
    this.#state = next
    if (Object.keys(change).length === 0) return
    writer.change(this.#id, { ...change, last_active_at: writer.at }, ...historyOf(change))
  }
}

/** An interrupted turn, and the last turn of a resumed conversation, are not reported, but they are in the transcript. */
function newMessage(before: ClaudeState, { state, lastMessage, transcriptPath }: ClaudeState): string | null {
  if (lastMessage !== null) return lastMessage === before.lastMessage ? null : lastMessage
  const isTurnOver = state === 'idle' && before.state !== 'idle'
  return isTurnOver && transcriptPath !== null ? lastMessageIn(transcriptPath) : null
}

/** The event that an error ended a turn, with Claude's word for it. */
export const turnFailedEvent = 'turn-failed'

/** Replaces a file that could not be read, so that its sender gets an answer and does not wait for ever. */
const unreadable: Report = {
  kind: 'other',
  agentId: null,
  sessionId: null,
  transcriptPath: null,
  mode: null,
}

/** A prompt is no proof of a conversation: if the user takes it back at once, there is no transcript. */
function isWritten(transcriptPath: string | null): boolean {
  return transcriptPath !== null && holdsConversation(transcriptPath)
}
