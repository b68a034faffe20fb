import { isDeepStrictEqual } from 'node:util'
import type { AskChannel } from '../claude/hook-channel.ts'
import type { HookEvent } from '../claude/hook-event.ts'
import type { Entry } from './approval-log.ts'

/** A permission request that nobody has answered yet. */
export interface OpenRequest {
  entry: Entry
  event: HookEvent
  /** null: only its dialog can answer it. */
  channel: AskChannel | null
  /** A rule allows it as soon as this ends. */
  timer: NodeJS.Timeout | null
  /** Its dialog has been on the screen. */
  isShown: boolean
  /** How long the transcript was when it came. */
  fromByte: number
}

/** Oldest first. */
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
    request.channel?.release()
    request.channel = null
    const at = this.#requests.indexOf(request)
    if (at >= 0) this.#requests.splice(at, 1)
  }

  /** `agentId` null: of the conversation itself. */
  ofAgent(agentId: string | null): readonly OpenRequest[] {
    return this.#requests.filter(({ event }) => event.agentId === agentId)
  }

  /** The one whose tool has run. An answered question or plan comes back with another input. */
  matching(done: HookEvent): readonly OpenRequest[] {
    const candidates = this.ofAgent(done.agentId).filter(({ event }) => event.toolName === done.toolName)
    const same = candidates.find(({ event }) => isSameUse(event, done))
    const isDialog = done.toolName === 'AskUserQuestion' || done.toolName === 'ExitPlanMode'
    const found = same ?? (isDialog ? candidates[0] : undefined)
    return found ? [found] : []
  }
}

/** Requests carry no id of the use, so agent, tool and input have to do. */
export function isSameUse(request: HookEvent, done: HookEvent): boolean {
  return (
    request.agentId === done.agentId &&
    request.toolName === done.toolName &&
    isDeepStrictEqual(request.toolInput, done.toolInput)
  )
}
