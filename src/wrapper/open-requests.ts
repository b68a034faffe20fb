import { isDeepStrictEqual } from 'node:util'
import type { ReplyChannel, Report } from '../claude/agent-report.ts'
import type { LogEntry } from './approval-log.ts'

export type AskReport = Report & { kind: 'asks' }
export type UsedReport = Report & { kind: 'used' }

/** A permission request that has no answer yet. */
export interface OpenRequest {
  entry: LogEntry
  report: AskReport
  /** Null if the request can only be answered in its dialog, as that of a subagent. */
  channel: ReplyChannel | null
  /** Runs while a rule is about to allow the request. */
  timer: NodeJS.Timeout | null
  /** Runs until the request is denied because nobody answers it. Only without a terminal. */
  deadline?: NodeJS.Timeout
  /** True once its dialog has been on the screen. */
  isShown: boolean
  /** The clock was set back since, so that times say nothing about the order. */
  isBeforeSetback: boolean
  /** The size of the transcript when the request arrived. */
  fromByte: number
}

/** The open requests, oldest first. */
export class OpenRequests {
  readonly #requests: OpenRequest[] = []

  get all(): readonly OpenRequest[] {
    return [...this.#requests]
  }

  add(request: OpenRequest): void {
    this.#requests.push(request)
  }

  setTimer(request: OpenRequest, delayMs: number, onEnd: () => void): void {
    request.timer = setTimeout(() => {
      request.timer = null
      onEnd()
    }, delayMs)
  }

  remove(request: OpenRequest): void {
    if (request.timer) clearTimeout(request.timer)
    request.timer = null
    clearTimeout(request.deadline)
    request.channel?.release()
    request.channel = null
    const at = this.#requests.indexOf(request)
    if (at >= 0) this.#requests.splice(at, 1)
  }

  /** Null stands for the main conversation. */
  ofAgent(agentId: string | null): readonly OpenRequest[] {
    return this.#requests.filter(({ report }) => report.agentId === agentId)
  }

  /** The request whose tool has run. */
  matching(done: UsedReport): readonly OpenRequest[] {
    const candidates = this.ofAgent(done.agentId).filter(({ report }) => report.use.tool === done.use.tool)
    const same = candidates.find(({ report }) => isSameUse(report, done))
    const found = same ?? candidates.find(({ report }) => report.dialog !== 'permission')
    return found ? [found] : []
  }
}

/**
 * Requests carry no id of the tool use, so agent, tool and input are compared. The input of an answered question has the
 * answers too, and that of a plan has no plan any more.
 */
export function isSameUse({ agentId, use, dialog }: AskReport, done: UsedReport): boolean {
  if (agentId !== done.agentId || use.tool !== done.use.tool) return false
  if (dialog === 'plan') return true
  return dialog === 'question'
    ? isDeepStrictEqual(use.input.questions, done.use.input.questions)
    : isDeepStrictEqual(use.input, done.use.input)
}
