import { test } from 'vitest'
import { playAnswerRace } from '../helpers/answer-race.ts'
import { wrapperBox } from '../helpers/wrapper-box.ts'

test('the record tells who answered, also when both did', () => playAnswerRace(wrapperBox()))
