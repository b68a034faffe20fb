import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import type { SentAs } from '../../db/messages.ts'
import type { MissionRecord } from '../../db/missions.ts'
import { readStore } from '../../db/with-store.ts'
import { AgencError, ExitCode, isAgencError, usageError } from '../../errors.ts'
import { readAll } from '../../io/blocking-io.ts'
import { parseDuration } from '../../io/duration.ts'
import { cleanLines } from '../../io/text.ts'
import { callerOf } from '../../mission/calling-mission.ts'
import { chooseMission } from '../../mission/choose.ts'
import { missionTitle, tell } from '../../mission/tell-done.ts'
import type { MissionId } from '../../mission-id.ts'
import { interruptible } from '../../system/signals.ts'
import { cancelMessage, type SendOutcome, sendMessage, untilAnswered } from '../../wrapper/send-message.ts'

interface Input {
  mission?: string
  text?: string
  file?: string
  wait?: boolean
  timeout?: string
  as?: string
  queue?: boolean
  command?: boolean
  cancel?: string
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Send a message to a mission. "Taken" means that Claude itself has reported it. While Claude is busy, it queues the message. A mission that waits for an answer, starts or does not run takes no message, unless --queue keeps it until then.',
  arguments: [
    { name: 'mission', description: "its name or id (the start is enough), or '.'" },
    { name: 'text', description: 'the message, or - to read it from standard input' },
  ],
  options: [
    { flags: '--file <path>', description: 'read the message from a file' },
    { flags: '--wait', description: 'wait until the turn has ended, and print the answer' },
    { flags: '--timeout <time>', description: 'with --wait: give up after this time, such as 90s or 30m' },
    {
      flags: '--as <whom>',
      description: 'user or agent: whose word it is (default: agent if a mission sends it, else user)',
    },
    { flags: '--queue', description: 'keep it until the mission can take it' },
    { flags: '--command', description: 'the message is a /command' },
    { flags: '--cancel <id>', description: 'take back a message that is kept' },
    quietOption,
    jsonOption,
  ],
  examples: [
    "agenc mission send 3f2a 'Run the tests again'",
    'agenc mission send 3f2a --wait --timeout 10m --file task.md',
    "agenc mission send 3f2a --queue 'Then update the docs'",
    'agenc mission send --cancel 12',
  ],
  async run(context, input) {
    refuseContradictions(input)
    if (input.cancel !== undefined) return cancel(context, input.cancel, input)
    const { mission, caller } = await readStore(context, async db => {
      const chosen = await chooseMission(context, db, input.mission, { title: 'Send a message to a mission' })
      return { mission: chosen, caller: db && callerOf(context, db) }
    })
    const text = textOf(context, input)
    const as = readAs(input.as) ?? (caller === null ? 'user' : 'agent')
    const wish = {
      text,
      as,
      from: caller?.id ?? null,
      isCommand: input.command ?? false,
      mayWait: input.queue ?? false,
    }
    const timeoutMs = input.timeout === undefined ? null : parseDuration(input.timeout, '--timeout')
    return interruptible(async signal => {
      const sent = await sendMessage(context, mission, { ...wish, signal }).catch(error => {
        if (input.json && isAgencError(error)) printJson(context, mission.id, refused(error), null)
        throw error
      })
      const isSent = sent.outcome === 'taken' || sent.outcome === 'queued'
      if (!input.wait || !isSent) {
        if (input.json) printJson(context, mission.id, sent, null)
        return report(context, mission, sent)
      }
      return waitForAnswer(context, mission, sent, {
        timeoutMs,
        signal,
        mayBeKept: input.queue,
        json: input.json,
      })
    })
  },
})

function refuseContradictions({ text, file, wait, timeout, cancel, mission, ...rest }: Input): void {
  if (cancel !== undefined && (text ?? file) !== undefined)
    throw usageError('--cancel sends nothing', 'Give only --cancel and the number of the message.')
  if (cancel !== undefined && !/^\d+$/.test(cancel))
    throw usageError(
      `${JSON.stringify(cancel)} is not the number of a message`,
      "'agenc mission show' has the numbers.",
    )
  if (cancel !== undefined) return
  if (timeout !== undefined && !wait)
    throw usageError('--timeout needs --wait', 'Without --wait, the command returns at once.')
  if ((text === undefined) === (file === undefined))
    throw usageError(
      text === undefined ? 'there is no message' : 'the message is given twice',
      'Give a text, - for standard input, or --file.',
    )
  readAs(rest.as)
}

function readAs(word: string | undefined): SentAs | undefined {
  if (word === undefined || word === 'user' || word === 'agent') return word
  throw usageError(`--as ${JSON.stringify(word)} is unknown`, 'Use user or agent.')
}

function textOf({ cwd }: Context, { text, file }: Input): string {
  if (text === '-') return readAll(0)
  if (file === undefined) return text!
  try {
    return readFileSync(resolve(cwd, file), 'utf8')
  } catch (error) {
    throw new AgencError(`${file} cannot be read: ${(error as Error).message}`, 'Check the path.')
  }
}

async function waitForAnswer(
  context: Context,
  mission: MissionRecord,
  sent: SendOutcome,
  options: { timeoutMs: number | null; signal: AbortSignal; mayBeKept?: boolean; json?: boolean },
): Promise<number> {
  if (context.err.isTerminal) tell(context, `${words(sent)}. Waiting for the answer …`)
  const answer = await untilAnswered(context, mission.id, sent.id, options).catch(error => {
    if (options.json && isAgencError(error)) printJson(context, mission.id, sent, null)
    throw error
  })
  if (options.json) printJson(context, mission.id, { ...sent, outcome: 'taken', isKept: false }, answer)
  else if (answer !== null) context.out.line(context.out.isTerminal ? cleanLines(answer) : answer)
  return ExitCode.ok
}

function report(context: Context, mission: MissionRecord, sent: SendOutcome): number {
  const { id, outcome, isKept, reason } = sent
  const line = `${words(sent)}: ${missionTitle(mission)}${reason === null ? '' : `: ${reason}`}`
  if (outcome === 'taken' || outcome === 'queued') {
    context.err.line(`${line}.`)
    if (isKept) tell(context, `Take it back with: agenc mission send --cancel ${id}`)
    return ExitCode.ok
  }
  context.err.line(`${line}.`)
  if (outcome === 'not_taken') context.err.line('With --queue, agenc keeps a message until it can be taken.')
  return ExitCode.failed
}

function words({ outcome, isKept }: SendOutcome): string {
  if (isKept) return 'Kept until it can be taken'
  return { taken: 'Taken', queued: 'Queued by Claude', not_taken: 'Not taken', unconfirmed: 'Unconfirmed' }[
    outcome
  ]
}

type Refused = Omit<SendOutcome, 'id'> & { id: null }

function refused({ message }: AgencError): Refused {
  return { id: null, outcome: 'not_taken', isKept: false, reason: message }
}

function printJson(
  { out }: Context,
  mission: MissionId,
  { id, outcome, isKept, reason }: SendOutcome | Refused,
  answer: string | null,
): void {
  out.line(
    JSON.stringify({
      id: id === null ? null : String(id),
      mission_id: mission,
      outcome,
      kept: isKept,
      reason,
      answer,
    }),
  )
}

async function cancel(context: Context, word: string, { json, mission }: Input): Promise<number> {
  const wanted =
    mission === undefined ? null : await readStore(context, db => chooseMission(context, db, mission))
  const message = await cancelMessage(context, Number(word), wanted?.id)
  if (message === undefined)
    throw new AgencError(
      `there is no message ${word}`,
      "'agenc mission show' has the messages that are kept.",
    )
  const isCancelled = message.status === 'cancelled'
  if (json)
    context.out.line(
      JSON.stringify({
        id: word,
        mission_id: message.mission_id,
        cancelled: isCancelled,
        status: message.status,
      }),
    )
  if (!isCancelled) throw new AgencError(`message ${word} cannot be taken back: ${whyNot[message.status]}`)
  if (!json) tell(context, `Taken back: message ${word}.`)
  return ExitCode.ok
}

const whyNot: Record<string, string> = {
  handed: 'it is on its way to Claude',
  queued: "it is in Claude's own queue, where the up arrow takes it back",
  taken: 'Claude has taken it',
  not_taken: 'it was not taken',
  unconfirmed: 'it was given to Claude',
}
