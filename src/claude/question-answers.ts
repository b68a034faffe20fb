import { isObject } from '../io/json.ts'
import type { Dialog } from './agent-report.ts'

/** One of the questions that Claude asks in one request. */
export interface Question {
  text: string
  /** More than one option may be chosen. */
  isMultiple: boolean
  options: { label: string; description: string }[]
}

/** An answer to one question. Question and options are counted from 0. */
export interface QuestionAnswer {
  question: number
  options: number[]
  /** An answer in the user's own words. */
  text?: string
  notes?: string
}

/** What was answered, in Claude's own words for the options. */
export interface AnsweredQuestion {
  question: string
  answer: string | null
  notes: string | null
}

export function questionsIn(input: unknown): Question[] {
  return itemsOf(input, 'questions').map(asked => ({
    text: textOf(asked.question),
    isMultiple: asked.multiSelect === true,
    options: itemsOf(asked, 'options').map(option => ({
      label: textOf(option.label),
      description: textOf(option.description),
    })),
  }))
}

/**
 * The input that makes Claude take an approval of this dialog. Without one, it ignores the approval of a question or a
 * plan. Returns undefined for a permission request, and null if the answers do not fit the questions.
 */
export function answeredInput(
  dialog: Dialog | null,
  input: Record<string, unknown>,
  given: readonly QuestionAnswer[],
): Record<string, unknown> | null | undefined {
  if (dialog === 'question') return withAnswers(input, given)
  // Claude reads the plan from its file, which the user may have edited since.
  return dialog === 'plan' ? {} : undefined
}

/** Claude demands that the questions are repeated. */
function withAnswers(
  input: Record<string, unknown>,
  given: readonly QuestionAnswer[],
): Record<string, unknown> | null {
  const answered = answeredQuestions(input, given)
  if (answered === null || answered.length === 0) return null
  const annotations = answered.flatMap(({ question, notes }) =>
    notes === null ? [] : [[question, { notes }]],
  )
  return {
    ...input,
    answers: Object.fromEntries(
      answered.flatMap(({ question, answer }) => (answer === null ? [] : [[question, answer]])),
    ),
    ...(annotations.length > 0 ? { annotations: Object.fromEntries(annotations) } : {}),
  }
}

/** Returns null if there is no such question or option. */
export function answeredQuestions(
  input: Record<string, unknown>,
  given: readonly QuestionAnswer[],
): AnsweredQuestion[] | null {
  const questions = questionsIn(input)
  const answered = given.map(({ question, options, text, notes }) => {
    const asked = questions[question]
    const labels = options.map(option => asked?.options[option]?.label)
    if (!asked || labels.includes(undefined)) return null
    const words = [...labels, ...(text === undefined ? [] : [text])]
    return {
      question: asked.text,
      answer: words.length > 0 ? words.join(', ') : null,
      notes: notes ?? null,
    }
  })
  return answered.includes(null) ? null : (answered as AnsweredQuestion[])
}

/** The answers in the input of a question that the user has answered in its dialog. */
export function answersIn(input: Record<string, unknown>): AnsweredQuestion[] {
  const answers = isObject(input.answers) ? input.answers : {}
  const annotations = isObject(input.annotations) ? input.annotations : {}
  return Object.entries(answers).map(([question, answer]) => {
    const noted = annotations[question]
    const notes = isObject(noted) && typeof noted.notes === 'string' ? noted.notes : null
    return { question, answer: String(answer), notes }
  })
}

function itemsOf(holder: unknown, key: string): Record<string, unknown>[] {
  const items = isObject(holder) ? holder[key] : null
  return Array.isArray(items) ? items.filter(isObject) : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
