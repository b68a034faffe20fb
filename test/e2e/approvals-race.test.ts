import { test } from 'vitest'
import { checkAnswerRace } from '../helpers/answer-race.ts'
import { wrapperBox } from '../helpers/wrapper-box.ts'

test('the record says who answered, even if both the user and a rule did', () =>
  checkAnswerRace(wrapperBox()))
