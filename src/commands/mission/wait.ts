import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import type { MissionRecord } from '../../db/missions.ts'
import { withStore } from '../../db/with-store.ts'
import { AgencError, ExitCode, usageError } from '../../errors.ts'
import { parseDuration } from '../../io/duration.ts'
import { cleanText, truncate } from '../../io/text.ts'
import { chooseMissions } from '../../mission/choose.ts'
import { stateStyle } from '../../mission/state-word.ts'
import { missionTitle, tell } from '../../mission/tell-done.ts'
import { type Until, type Waited, waitForMissions } from '../../mission/wait-for.ts'
import { shortId } from '../../mission-id.ts'
import { interruptible } from '../../system/signals.ts'

interface Input {
  missions: string[]
  until?: string
  any?: boolean
  all?: boolean
  timeout?: string
  json?: boolean
}

const wishes: readonly string[] = ['idle', 'waiting', 'end', 'any'] satisfies Until[]

export default defineCommand<Input>({
  description:
    'Wait until missions are idle, wait for you, or have ended, and print what each said last. Idle means that the turn is over and nothing runs in the background. Exits with 1 if a mission ends otherwise, and with 124 if the time runs out.',
  arguments: [{ name: 'missions', description: "their names or ids, or '.'", variadic: true }],
  options: [
    { flags: '--until <state>', description: 'idle (default), waiting, end, or any of these' },
    { flags: '--all', description: 'wait for all of them (default)' },
    { flags: '--any', description: 'wait for the first of them' },
    { flags: '--timeout <duration>', description: 'give up after this time: 90s, 30m, 4h' },
    quietOption,
    jsonOption,
  ],
  examples: [
    'agenc mission wait fix-login --timeout 30m',
    'agenc mission wait 3f2a 9c01 --any --until any --json',
  ],
  async run(context, { missions: words, until: word = 'idle', any, all, timeout, json }) {
    const until = untilFrom(word)
    if (any && all) throw usageError('--any and --all exclude each other', 'Give one or the other.')
    const timeoutMs = timeout === undefined ? null : parseDuration(timeout, '--timeout')
    const chosen = await withStore(context, db =>
      chooseMissions(context, db, words, { title: 'Wait for a mission', order: [['running']] }),
    )
    refuseItself(context, chosen, until)
    tell(context, 'Waiting. Ctrl-C ends the waiting, not the missions.')
    const { isTimeUp, missions } = await interruptible(signal =>
      waitForMissions(
        context,
        chosen.map(({ id }) => id),
        {
          until,
          needs: any ? 'any' : 'all',
          timeoutMs,
          signal,
          onSettled: waited => {
            if (!json) context.out.line(lineOf(context, waited))
          },
        },
      ),
    )
    if (json) context.out.line(JSON.stringify(missions.map(waitedJson)))
    const others = missions.filter(({ isReached }) => !isReached)
    if (isTimeUp) throw timeIsUp(others, timeout!)
    if (others.length > 0 && (!any || others.length === missions.length)) throw endedOtherwise(others, until)
    return ExitCode.ok
  },
})

function untilFrom(word: string): Until {
  if (wishes.includes(word)) return word as Until
  throw usageError(`unknown value for --until: ${JSON.stringify(word)}`, `Use one of: ${wishes.join(', ')}.`)
}

/** A mission is busy as long as a command of its Claude runs. */
function refuseItself({ env }: Context, missions: readonly MissionRecord[], until: Until): void {
  const self = missions.find(({ id }) => id === env.AGENC_MISSION_UUID)
  if (self && until !== 'waiting')
    throw usageError(
      `${missionTitle(self)} is the mission that this command runs in, so it stays busy while the command waits`,
      'Name another mission.',
    )
}

export type WaitedJson = ReturnType<typeof waitedJson>

function waitedJson({ mission, isReached, lastMessage }: Waited) {
  return { ...mission, reached: isReached, last_message: lastMessage }
}

function stateOf({ mission, isGone }: Waited): string {
  if (isGone) return 'deleted'
  if (mission.state === 'waiting') return `waiting: ${mission.waiting_for ?? 'input'}`
  return mission.state ?? mission.status
}

function lineOf({ out }: Context, waited: Waited): string {
  const { mission } = waited
  const style = stateStyle({ ...mission, done_unseen: false })
  const state = style ? out.paint(style, stateOf(waited)) : stateOf(waited)
  const start = `${missionTitle(mission)}  `
  const said = cleanText(mission.last_message ?? '')
  const room = out.columns - start.length - stateOf(waited).length - 2
  return `${start}${state}${said && '  '}${out.isTerminal ? truncate(said, Math.max(room, 20)) : said}`
}

function timeIsUp(missions: readonly Waited[], timeout: string): AgencError {
  const states = missions.map(waited => `${shortId(waited.mission.id)} is ${stateOf(waited)}`)
  return new AgencError(
    `the time ran out after ${cleanText(timeout)}: ${states.join(', ')}`,
    'The missions continue. Wait longer, or look at them with: agenc mission ls',
    ExitCode.timeRanOut,
  )
}

function endedOtherwise(missions: readonly Waited[], until: Until): AgencError {
  const ends = missions.map(waited => `${shortId(waited.mission.id)} (${stateOf(waited)})`)
  const wish = until === 'waiting' ? 'waited for you' : 'got idle'
  return new AgencError(
    `ended before ${missions.length === 1 ? 'it' : 'they'} ${wish}: ${ends.join(', ')}`,
    `Show how with: agenc mission show ${shortId(missions[0]!.mission.id)}`,
  )
}
