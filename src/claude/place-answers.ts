import { usageError } from '../errors.ts'
import { cleanText } from '../io/text.ts'
import type { Question, QuestionAnswer } from './question-answers.ts'

/** The answers as they were given on a command line. `2=…` says that a text is meant for the second question. */
export interface GivenWords {
  /** Labels of options. */
  choices: readonly string[]
  /** Answers in the user's own words. */
  texts: readonly string[]
  notes: readonly string[]
  /** Some questions may stay without an answer. */
  isPartial: boolean
}

interface Place {
  question: number
  option: number
}

/** Finds the question that each of the words is meant for. Throws a usage error that lists the questions. */
export function placeAnswers(questions: readonly Question[], given: GivenWords): QuestionAnswer[] {
  const answers = questions.map((_, question): QuestionAnswer => ({ question, options: [] }))
  placeChoices(questions, answers, given.choices)
  for (const text of given.texts) placeText(questions, answers, text)
  for (const notes of given.notes) placeNotes(questions, answers, notes)
  const missing = answers.filter(answer => !isAnswered(answer))
  const isTooFew = given.isPartial ? missing.length === answers.length : missing.length > 0
  if (isTooFew)
    throw refusal(
      questions,
      `no answer is given to ${missing.map(({ question }) => named(questions, question)).join(', ')}`,
      given.isPartial
        ? 'Answer one of them at least.'
        : 'Every question needs an answer, unless you add --partial.',
    )
  return answers.filter(answer => isAnswered(answer) || answer.notes !== undefined)
}

/** Labels of one question come first, because they leave fewer questions for a label that several questions have. */
function placeChoices(
  questions: readonly Question[],
  answers: readonly QuestionAnswer[],
  choices: readonly string[],
): void {
  const shared: Place[][] = []
  for (const choice of choices) {
    const places = placesOf(questions, choice)
    if (places.length === 0) throw refusal(questions, `no question has the choice ${quoted(choice)}`)
    const isOneQuestion = places.every(({ question }) => question === places[0]!.question)
    if (isOneQuestion && places.length > 1)
      throw refusal(questions, `${quoted(choice)} is the start of several choices`)
    if (isOneQuestion) choose(questions, answers, places[0]!)
    else shared.push(places)
  }
  for (const places of shared) choose(questions, answers, nextOf(questions, answers, places))
}

/** A label that several questions have is for the first of them that has no answer yet. */
function nextOf(
  questions: readonly Question[],
  answers: readonly QuestionAnswer[],
  places: readonly Place[],
): Place {
  const label = questions[places[0]!.question]!.options[places[0]!.option]!.label
  const isUnclear = places.some(
    ({ question }, at) => questions[question]!.isMultiple || places[at + 1]?.question === question,
  )
  const next = places.find(({ question }) => !isAnswered(answers[question]!))
  if (next && !isUnclear) return next
  throw refusal(questions, `several questions have the choice ${quoted(label)}`)
}

function choose(
  questions: readonly Question[],
  answers: readonly QuestionAnswer[],
  { question, option }: Place,
): void {
  const { options } = answers[question]!
  if (options.includes(option)) return
  if (options.length > 0 && !questions[question]!.isMultiple)
    throw refusal(questions, `${named(questions, question)} takes only one choice`)
  options.push(option)
}

/** The options that the words may mean: the same label, the same but for its case, or the start of a label. */
function placesOf(questions: readonly Question[], choice: string): Place[] {
  const numbered = numberedPart(questions, choice)
  const whole = matching(questions, choice)
  return whole.length > 0 || !numbered ? whole : matching(questions, numbered.text, numbered.question)
}

function matching(questions: readonly Question[], words: string, only?: number): Place[] {
  const wanted = plain(words)
  const places = questions.flatMap(({ options }, question) =>
    only !== undefined && only !== question ? [] : options.map((_, option) => ({ question, option })),
  )
  const label = ({ question, option }: Place) => plain(questions[question]!.options[option]!.label)
  const ways: ((text: string) => boolean)[] = [
    text => text === wanted,
    text => text.toLowerCase() === wanted.toLowerCase(),
    text => wanted !== '' && text.toLowerCase().startsWith(wanted.toLowerCase()),
  ]
  for (const isMeant of ways) {
    const found = places.filter(place => isMeant(label(place)))
    if (found.length > 0) return found
  }
  return []
}

function placeText(questions: readonly Question[], answers: readonly QuestionAnswer[], words: string): void {
  const { question, text } = numberedPart(questions, words) ?? {
    question: answers.findIndex(answer => !isAnswered(answer)),
    text: words,
  }
  const answer = answers[question] ?? (answers.length === 1 ? answers[0] : undefined)
  if (!answer) throw refusal(questions, 'every question has an answer already')
  const isTaken = answer.text !== undefined || (answer.options.length > 0 && !isMultiple(questions, answer))
  if (isTaken) throw refusal(questions, `${named(questions, answer.question)} takes only one answer`)
  if (text.trim() === '') throw refusal(questions, 'the text is empty')
  answer.text = text
}

function isMultiple(questions: readonly Question[], { question }: QuestionAnswer): boolean {
  return questions[question]!.isMultiple
}

function placeNotes(questions: readonly Question[], answers: readonly QuestionAnswer[], words: string): void {
  const numbered =
    numberedPart(questions, words) ?? (questions.length === 1 ? { question: 0, text: words } : null)
  if (!numbered)
    throw refusal(questions, 'it is not clear which question the notes are for', byNumber('--notes'))
  const answer = answers[numbered.question]!
  if (answer.notes !== undefined)
    throw refusal(questions, `${named(questions, answer.question)} has notes already`)
  answer.notes = numbered.text
}

/** Reads `2=…`, which has a meaning only if there are several questions. */
function numberedPart(
  questions: readonly Question[],
  words: string,
): { question: number; text: string } | null {
  const [, number, text] = /^(\d{1,2})=(.*)$/s.exec(words) ?? []
  const question = Number(number) - 1
  return questions.length > 1 && questions[question] ? { question, text: text! } : null
}

function isAnswered({ options, text }: QuestionAnswer): boolean {
  return options.length > 0 || text !== undefined
}

/** The text as it is shown. */
function plain(text: string): string {
  return cleanText(text).normalize('NFC')
}

function quoted(text: string): string {
  return JSON.stringify(cleanText(text))
}

function named(questions: readonly Question[], question: number): string {
  return questions.length === 1 ? 'the question' : `question ${question + 1}`
}

function refusal(questions: readonly Question[], problem: string, hint = byNumber('--choice')) {
  const hints = questions.length > 1 ? [hint] : []
  return usageError(problem, [...questionLines(questions), ...hints].join('\n'))
}

function byNumber(option: string): string {
  return `Name the question by its number if it is not clear: ${option} "2=…"`
}

/** The questions with their choices. Several questions are numbered. */
export function questionLines(questions: readonly Question[]): string[] {
  return questions.flatMap(({ text, isMultiple, options }, at) => [
    `${questions.length > 1 ? `${at + 1}. ` : ''}${cleanText(text)}${isMultiple ? ' (several choices)' : ''}`,
    ...options.map(
      ({ label, description }) => `   - ${cleanText([label, description].filter(Boolean).join(': '))}`,
    ),
  ])
}
