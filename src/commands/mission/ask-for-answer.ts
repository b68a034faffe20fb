import { requestInFull } from '../../approvals/request-in-full.ts'
import { type Question, type QuestionAnswer, questionsIn } from '../../claude/question-answers.ts'
import type { Context } from '../../context.ts'
import type { PendingRequest } from '../../db/approvals.ts'
import { isObject } from '../../io/json.ts'
import { ask } from '../../io/prompt.ts'
import { cleanText } from '../../io/text.ts'
import { dialogOf } from '../../mission/how-to-answer.ts'
import type { MissionJson } from '../../mission/mission-json.ts'
import type { GivenAnswer } from '../../wrapper/permission-requests.ts'

/** The whole request, for a terminal. */
export function shownInFull({ tool, input }: PendingRequest, { dir }: MissionJson): string {
  return requestInFull(tool, isObject(input) ? input : {}, dir)
}

/** Shows the request and asks for an answer. Esc and Ctrl-C throw `Cancelled`. */
export async function askForAnswer(
  context: Context,
  request: PendingRequest,
  mission: MissionJson,
): Promise<GivenAnswer> {
  context.err.line(`${shownInFull(request, mission)}\n`)
  const dialog = dialogOf(request.tool)
  if (dialog === 'question') return askQuestions(context, questionsIn(request.input))
  const choices = dialog === 'plan' ? planChoices : permissionChoices
  const { wantsMessage, ...answer } = await pickOne(context, 'Answer', choices)
  return wantsMessage ? { ...answer, message: await askText(context, 'Message for Claude') } : answer
}

type Choice<T> = { name: string; value: T; description?: string }
type DecisionChoice = Choice<GivenAnswer & { wantsMessage?: true }>

const denyWithMessage: DecisionChoice = {
  name: 'Deny with a message',
  value: { allow: false, wantsMessage: true },
}

const permissionChoices: readonly DecisionChoice[] = [
  { name: 'Allow', value: { allow: true } },
  { name: 'Deny', value: { allow: false } },
  denyWithMessage,
]

const planChoices: readonly DecisionChoice[] = [
  { name: 'Allow', value: { allow: true } },
  { name: 'Allow and accept edits', value: { allow: true, mode: 'acceptEdits' } },
  denyWithMessage,
]

async function askQuestions(context: Context, questions: readonly Question[]): Promise<GivenAnswer> {
  const answers: QuestionAnswer[] = []
  for (const [index, question] of questions.entries())
    answers.push({ question: index, ...(await askQuestion(context, question)) })
  return { allow: true, answers }
}

const ownWords = -1

async function askQuestion(
  context: Context,
  { text, isMultiple, options }: Question,
): Promise<Pick<QuestionAnswer, 'options' | 'text'>> {
  const message = cleanText(text)
  const choices: Choice<number>[] = [
    ...options.map(({ label, description }, value) => ({
      name: cleanText(label),
      value,
      description: cleanText(description) || undefined,
    })),
    { name: 'Something else', value: ownWords },
  ]
  const picked = isMultiple
    ? await pickSeveral(context, message, choices)
    : [await pickOne(context, message, choices)]
  const chosen = picked.filter(option => option !== ownWords)
  if (chosen.length === picked.length) return { options: chosen }
  return { options: chosen, text: await askText(context, 'Your answer') }
}

function pickOne<T>(context: Context, message: string, choices: readonly Choice<T>[]): Promise<T> {
  return ask(context, (prompts, promptContext) => prompts.select<T>({ message, choices }, promptContext))
}

function pickSeveral<T>(context: Context, message: string, choices: readonly Choice<T>[]): Promise<T[]> {
  return ask(context, (prompts, promptContext) =>
    prompts.checkbox<T>({ message, choices, required: true }, promptContext),
  )
}

function askText(context: Context, message: string): Promise<string> {
  const validate = (text: string) => text.trim() !== '' || 'Please enter a text.'
  return ask(context, (prompts, promptContext) =>
    prompts.input({ message: `${message}:`, validate }, promptContext),
  )
}
