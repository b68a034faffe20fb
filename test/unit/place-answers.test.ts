import { describe, expect, test } from 'vitest'
import { placeAnswers } from '../../src/claude/place-answers.ts'
import { questionsIn } from '../../src/claude/question-answers.ts'
import { AgencError, ExitCode } from '../../src/errors.ts'

const asked = (question: string, labels: readonly string[], multiSelect = false) => ({
  question,
  header: 'Pick',
  options: labels.map(label => ({ label, description: '' })),
  multiSelect,
})

interface Words {
  choices?: string[]
  texts?: string[]
  notes?: string[]
  isPartial?: boolean
}

function place(questions: object[], { choices = [], texts = [], notes = [], isPartial = false }: Words) {
  return placeAnswers(questionsIn({ questions }), { choices, texts, notes, isPartial })
}

/** The message of the refusal and the list that comes with it. */
function refusal(questions: object[], words: Words): string {
  try {
    place(questions, words)
  } catch (error) {
    if (!(error instanceof AgencError)) throw error
    expect(error.exitCode).toBe(ExitCode.usage)
    return `${error.message}\n${error.hint}`
  }
  throw new Error('the answer was accepted')
}

const colour = asked('Which colour?', ['Blue', 'Red', 'blue-grey'])
const sizes = asked('Which sizes?', ['S', 'L', 'XL'], true)
const [first, second] = [asked('First?', ['Yes', 'No']), asked('Second?', ['Yes', 'No'])]

describe('a choice', () => {
  test.each([
    ['Blue', 0],
    ['red', 1],
    ['R', 1],
    ['BLUE-GREY', 2],
    ['  Red ', 1],
  ])('%j is option %i', (choice, option) => {
    expect(place([colour], { choices: [choice] })).toEqual([{ question: 0, options: [option] }])
  })

  test.each([
    ['Green', 'no question has the choice "Green"'],
    ['', 'no question has the choice ""'],
    ['b', '"b" is the start of several choices'],
  ])('%j is refused, with the list of choices', (choice, problem) => {
    expect(refusal([colour], { choices: [choice] })).toBe(
      `${problem}\nWhich colour?\n   - Blue\n   - Red\n   - blue-grey`,
    )
  })

  test('goes to the question that has it, in any order; several go to one that takes several', () => {
    expect(place([colour, sizes], { choices: ['XL', 'Blue', 'S', 'XL'] })).toEqual([
      { question: 0, options: [0] },
      { question: 1, options: [2, 0] },
    ])
    expect(refusal([colour], { choices: ['Blue', 'Red'] })).toContain('the question takes only one choice')
  })

  test('that several questions have goes to them in order, or to the one that is named by its number', () => {
    expect(place([first, second], { choices: ['Yes', 'No'] })).toEqual([
      { question: 0, options: [0] },
      { question: 1, options: [1] },
    ])
    expect(place([first, second], { choices: ['2=yes', '1=no'] })).toEqual([
      { question: 0, options: [1] },
      { question: 1, options: [0] },
    ])
    expect(refusal([first, second], { choices: ['No'] })).toMatch(
      /^no answer is given to question 2\n.*\nEvery question needs an answer, unless you add --partial\.$/s,
    )
    const shared = [sizes, asked('Which others?', ['S', 'M'], true)]
    expect(refusal(shared, { choices: ['S', 'M'] })).toMatch(
      /^several questions have the choice "S"\n1\. .*--choice "2=…"/s,
    )
  })

  test('may look like a number and a label', () => {
    const odd = asked('Which sum?', ['2=two', 'one=1'])
    expect(place([odd, second], { choices: ['2=two', 'Yes'] })).toEqual([
      { question: 0, options: [0] },
      { question: 1, options: [0] },
    ])
  })
})

describe('a text', () => {
  test('is for the first question without an answer, or for the one that is named', () => {
    expect(place([colour, first], { choices: ['Blue'], texts: ['maybe = later'] })).toEqual([
      { question: 0, options: [0] },
      { question: 1, options: [], text: 'maybe = later' },
    ])
    expect(place([colour, first], { texts: ['2=b', '1=a'] })).toMatchObject([{ text: 'a' }, { text: 'b' }])
    expect(place([colour], { texts: ['1=a'] })).toEqual([{ question: 0, options: [], text: '1=a' }])
  })

  test('adds to the choices of a question that takes several', () => {
    expect(place([sizes], { choices: ['S'], texts: ['XXL'] })).toEqual([
      { question: 0, options: [0], text: 'XXL' },
    ])
    expect(refusal([colour], { choices: ['Blue'], texts: ['x'] })).toContain('takes only one answer')
    expect(refusal([colour], { texts: ['x', 'y'] })).toContain('takes only one answer')
    expect(refusal([colour, first], { texts: ['1=a', '2=b', 'c'] })).toContain('has an answer already')
    expect(refusal([colour], { texts: [' \n'] })).toContain('the text is empty')
  })
})

test('notes need a number if there are several questions', () => {
  expect(place([colour], { choices: ['Blue'], notes: ['dark'] })).toEqual([
    { question: 0, options: [0], notes: 'dark' },
  ])
  const both = { choices: ['Blue', 'Yes'] }
  expect(place([colour, first], { ...both, notes: ['2=sure'] })).toMatchObject([{}, { notes: 'sure' }])
  expect(refusal([colour, first], { ...both, notes: ['sure'] })).toContain('--notes "2=…"')
})

test('questions stay without an answer only if that is wanted, and never all of them', () => {
  const four = [colour, sizes, first, second]
  expect(refusal(four, { choices: ['Blue', '4=No'] })).toContain(
    'no answer is given to question 2, question 3',
  )
  expect(place(four, { choices: ['Blue', '4=No'], isPartial: true })).toEqual([
    { question: 0, options: [0] },
    { question: 3, options: [1] },
  ])
  expect(refusal(four, { isPartial: true })).toContain('no answer is given')
})

test('a request without questions is refused, whatever is in its place', () => {
  for (const input of [{}, { questions: 'none' }, { questions: [7, null] }, null])
    expect(() =>
      placeAnswers(questionsIn(input), { choices: ['A'], texts: [], notes: [], isPartial: false }),
    ).toThrow('no question has the choice')
})
