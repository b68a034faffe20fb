import { claudeMode } from '../../claude/permission-mode.ts'
import { placeAnswers } from '../../claude/place-answers.ts'
import { questionsIn } from '../../claude/question-answers.ts'
import { defineCommand, jsonOption } from '../../cli/command.ts'
import { type Context, isInteractive } from '../../context.ts'
import {
  type AnswerDetails,
  type Approval,
  getApproval,
  latestApproval,
  type PendingRequest,
} from '../../db/approvals.ts'
import { getMission, listMissions } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { readStore } from '../../db/with-store.ts'
import { AgencError, usageError } from '../../errors.ts'
import { cleanText } from '../../io/text.ts'
import { callingMission } from '../../mission/calling-mission.ts'
import { modesOfClaude } from '../../mission/check-mode.ts'
import { chooseMission } from '../../mission/choose.ts'
import { untilChange } from '../../mission/followers.ts'
import { dialogOf, requestWords } from '../../mission/how-to-answer.ts'
import { describeMissions } from '../../mission/list.ts'
import type { MissionJson } from '../../mission/mission-json.ts'
import { deliverAnswer, untilCertain } from '../../wrapper/deliver-answer.ts'
import type { GivenAnswer } from '../../wrapper/permission-requests.ts'
import {
  decisionWord,
  howTo,
  listing,
  nothingPending,
  notTaken,
  refuseAgent,
  refuseMode,
  refuseWiderMode,
} from './answer-refusals.ts'
import { askForAnswer, shownInFull } from './ask-for-answer.ts'

interface Input {
  mission: string
  decision?: string
  choice?: string[]
  text?: string[]
  notes?: string[]
  partial?: boolean
  mode?: string
  message?: string
  request?: string
  json?: boolean
}

const longestMessage = 2_000
const longestText = 20_000

export default defineCommand<Input>({
  description:
    'Answer a permission request, a question or a plan of a mission. If you answer in its own dialog first, that answer counts. On a terminal without an answer, shows the request and asks.',
  arguments: [
    { name: 'mission', description: "its name or id (the start is enough), or '.'", required: true },
    { name: 'decision', description: 'allow or deny' },
  ],
  options: [
    {
      flags: '--choice <label>',
      description: 'an answer to a question; repeat it for several choices or questions',
      repeats: true,
    },
    {
      flags: '--text <text>',
      description: 'an answer in your own words, for the first question without one',
      repeats: true,
    },
    { flags: '--notes <text>', description: 'notes on your answer to a question', repeats: true },
    { flags: '--partial', description: 'leave the other questions without an answer' },
    { flags: '--mode <mode>', description: 'with allow: also switch to this permission mode' },
    { flags: '--message <text>', description: 'with deny: a message for Claude' },
    { flags: '--request <id>', description: 'the request to answer (default: the oldest)' },
    jsonOption,
  ],
  examples: [
    'agenc mission answer 3f2a allow',
    'agenc mission answer 3f2a deny --message "use the staging host"',
    'agenc mission answer 3f2a --choice Blue',
  ],
  async run(context, input) {
    await refuseContradictions(context, input)
    const mission = await missionWithRequest(context, input)
    const request = await requestOf(context, mission, input)
    const answer = hasAnswer(input)
      ? answerFrom(mission, request, input)
      : await askOrExplain(context, mission, request)
    const delivered = await deliverAnswer(context, mission.id, Number(request.id), answer)
    if (!delivered.isTaken) throw notTaken(mission, delivered.stored)
    // A permitted tool may run for long, but a dialog that was answered closes at once.
    const isSoonCertain = answer.allow && dialogOf(request.tool) !== 'permission'
    const stored = isSoonCertain ? await untilCertain(context, Number(request.id)) : delivered.stored
    if (stored?.decided_by === 'user') throw notTaken(mission, stored)
    const decision = answer.allow ? 'allow' : 'deny'
    const details = stored?.answer ?? null
    const confirmed = stored?.confirmed === 1
    if (input.json)
      context.out.line(JSON.stringify({ ...request, decision, by: 'answer', answer: details, confirmed }))
    else context.err.line(`${verdict(decision, details)}: ${requestWords(request, mission)}`)
    if (isSoonCertain && !confirmed)
      context.err.line(
        `Claude has not confirmed it yet. Look at its window if ${mission.short_id} goes on waiting.`,
      )
    return 0
  },
})

function isForQuestion({ choice, text, notes, partial }: Input): boolean {
  return Boolean(choice ?? text ?? notes ?? partial)
}

function hasAnswer(input: Input): boolean {
  return input.decision !== undefined || isForQuestion(input)
}

async function refuseContradictions(context: Context, input: Input): Promise<void> {
  const { decision, mode, message, text = [], notes = [] } = input
  if (decision !== undefined && decision !== 'allow' && decision !== 'deny')
    throw usageError(
      `${JSON.stringify(decision)} is not an answer`,
      'Answer allow or deny, or a question with --choice or --text.',
    )
  if (isForQuestion(input) && decision === 'deny')
    throw usageError('a question is either answered or denied', 'Omit deny, or the answer.')
  if (mode !== undefined && decision !== 'allow')
    throw usageError('--mode works only with allow', 'Omit --mode to deny the request.')
  if (message !== undefined && decision !== 'deny')
    throw usageError('--message works only with deny', 'Omit --message to allow the request.')
  if ((message ?? '').length > longestMessage)
    throw usageError('the message is too long', `Use at most ${longestMessage} characters.`)
  if ([...text, ...notes].some(words => words.length > longestText))
    throw usageError('the text is too long', `Use at most ${longestText} characters.`)
  if (mode !== undefined) refuseMode(await modesOfClaude(context), claudeMode(mode))
}

/** A mission may be known to wait a moment before its request is. */
const requestDelayMs = 3_000

async function missionWithRequest(
  context: Context,
  { mission: word, mode }: Pick<Input, 'mission' | 'mode'>,
): Promise<MissionJson> {
  const chosen = await readStore(context, async db => {
    const record = await chooseMission(context, db, word)
    const caller = callingMission(context, listMissions(db!, { archived: true }))
    refuseAgent(caller, record)
    if (caller !== null && mode !== undefined) await refuseWiderMode(context, caller, mode)
    return record
  })
  const look = async (db: Database | null) =>
    (await describeMissions(context, db!, [getMission(db!, chosen.id) ?? chosen]))[0]!
  const mission = await readStore(context, look)
  if (!isAboutToAsk(mission)) return mission
  const later = await untilChange(
    context,
    async db => {
      const now = await look(db)
      return isAboutToAsk(now) ? undefined : now
    },
    { timeoutMs: requestDelayMs },
  )
  return later ?? mission
}

function isAboutToAsk({ state, waiting_for, pending }: MissionJson): boolean {
  const isRequest = waiting_for === 'permission' || waiting_for === 'question' || waiting_for === 'plan'
  return state === 'waiting' && isRequest && pending.length === 0
}

/** Returns the named request, or the oldest that can be answered this way if none is named. */
async function requestOf(context: Context, mission: MissionJson, input: Input): Promise<PendingRequest> {
  const { pending } = mission
  if (input.request !== undefined) {
    const request = pending.find(({ id }) => id === input.request)
    if (request) return request
    const stored = await storedRequest(context, mission, input.request)
    if (stored) throw notTaken(mission, stored)
    if (pending.length > 0)
      throw new AgencError(`${mission.short_id} has no pending request ${input.request}`, listing(mission))
  }
  if (pending.length === 0) throw nothingPending(mission, await latestRequest(context, mission))
  if (!isForQuestion(input)) return pending[0]!
  const question = pending.find(({ tool }) => dialogOf(tool) === 'question')
  if (!question) throw usageError(`${mission.short_id} asks no question`, listing(mission))
  return question
}

function latestRequest(context: Context, { id }: MissionJson): Promise<Approval | undefined> {
  return readStore(context, db => (db ? latestApproval(db, id) : undefined))
}

function storedRequest(context: Context, mission: MissionJson, id: string): Promise<Approval | undefined> {
  return readStore(context, db => {
    const stored = db && /^\d{1,15}$/.test(id) ? getApproval(db, Number(id)) : undefined
    return stored?.mission_id === mission.id && stored.decided_by !== null ? stored : undefined
  })
}

function answerFrom(mission: MissionJson, request: PendingRequest, input: Input): GivenAnswer {
  const { decision, mode, message, choice = [], text = [], notes = [], partial = false } = input
  if (decision === 'deny') return { allow: false, message }
  const isQuestion = dialogOf(request.tool) === 'question'
  if (!isQuestion && isForQuestion(input))
    throw usageError(`request ${request.id} of ${mission.short_id} is no question`, howTo(mission, request))
  if (isQuestion && !isForQuestion(input))
    throw usageError(
      'a question needs an answer: --choice or --text',
      [shownInFull(request, mission), howTo(mission, request)].join('\n'),
    )
  if (isQuestion && mode !== undefined)
    throw usageError('--mode does not work with a question', howTo(mission, request))
  if (!isQuestion) return { allow: true, mode: mode && claudeMode(mode) }
  const words = { choices: choice, texts: text, notes, isPartial: partial }
  return { allow: true, answers: placeAnswers(questionsIn(request.input), words) }
}

async function askOrExplain(
  context: Context,
  mission: MissionJson,
  request: PendingRequest,
): Promise<GivenAnswer> {
  if (isInteractive(context)) return askForAnswer(context, request, mission)
  throw usageError(
    `${mission.short_id} has an open request, and no answer is given`,
    [shownInFull(request, mission), howTo(mission, request)].join('\n'),
  )
}

function verdict(decision: 'allow' | 'deny', details: AnswerDetails | null): string {
  const said = details?.answers?.map(({ answer }) => answer).filter(answer => answer !== null)
  return said ? `Answered ${JSON.stringify(cleanText(said.join(' / ')))}` : decisionWord(decision)
}
