import { lstatSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { QuestionAnswer } from '../claude/question-answers.ts'
import { makePrivateDirectory, realPathOf } from '../io/files.ts'
import { isObject } from '../io/json.ts'
import { randomUuid } from '../io/random.ts'
import type { MissionPaths } from '../paths.ts'
import { wakeUp } from '../system/wakeup-fifo.ts'

/** A message from another agenc command to a running wrapper. */
export type ControlMessage =
  | { agenc: 'restart' }
  /** There is a message in the store for Claude. */
  | { agenc: 'deliver' }
  /** Ends Claude's turn. */
  | { agenc: 'interrupt' }
  | {
      agenc: 'answer'
      request: number
      allow: boolean
      mode?: string
      message?: string
      answers?: QuestionAnswer[]
      /** The sender's FIFO. It gets a byte when the answer has been processed: see `verdicts`. */
      bell: string
    }

/** Returns null if the data is not a known message. */
export function parseControlMessage(data: unknown): ControlMessage | null {
  if (!isObject(data)) return null
  if (data.agenc === 'restart' || data.agenc === 'deliver' || data.agenc === 'interrupt')
    return { agenc: data.agenc }
  const { agenc, request, allow, mode, message, answers, bell } = data
  if (agenc !== 'answer' || typeof request !== 'number' || typeof allow !== 'boolean') return null
  if (typeof bell !== 'string' || !(answers === undefined || areAnswers(answers))) return null
  return {
    agenc,
    request,
    allow,
    mode: optionalText(mode),
    message: optionalText(message),
    answers,
    bell,
  }
}

/** The byte for the sender of an answer: whether the agent has got it. */
export const verdicts = { taken: 'y', refused: 'n' } as const

function areAnswers(value: unknown): value is QuestionAnswer[] {
  const isCount = (item: unknown) => Number.isInteger(item)
  const isText = (item: unknown) => item === undefined || typeof item === 'string'
  return (
    Array.isArray(value) &&
    value.every(
      item =>
        isObject(item) &&
        isCount(item.question) &&
        Array.isArray(item.options) &&
        item.options.every(isCount) &&
        isText(item.text) &&
        isText(item.notes),
    )
  )
}

/** A new path for the FIFO on which the sender of an answer waits. */
export function newBell(run: string): string {
  return join(run, `answered-${randomUuid()}`)
}

/**
 * Any process of the user can write a message, so the wrapper rings only FIFOs that `newBell` names. Returns null for
 * another path. The FIFO may be gone already: its sender does not wait for ever.
 */
export function ownBell(run: string, bell: string): string | null {
  const name = basename(bell)
  if (!/^answered-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name)) return null
  // The sender may have reached the same directory through a link.
  if (realPathOf(dirname(bell)) !== realPathOf(run)) return null
  const path = join(run, name)
  return lstatSync(path, { throwIfNoEntry: false })?.isFIFO() === false ? null : path
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Leaves a message in the wrapper's spool, the same way its hooks leave their events. */
export function sendControlMessage(
  { run, events, wakeup }: Pick<MissionPaths, 'run' | 'events' | 'wakeup'>,
  message: ControlMessage,
): void {
  const name = `command-${randomUuid()}`
  const draft = join(run, name)
  makePrivateDirectory(events)
  writeFileSync(draft, JSON.stringify(message), { mode: 0o600 })
  renameSync(draft, join(events, name))
  wakeUp(wakeup)
}

/** Makes the wrapper start its Claude again as soon as it is idle. */
export function requestRestart(paths: MissionPaths): void {
  sendControlMessage(paths, { agenc: 'restart' })
}
