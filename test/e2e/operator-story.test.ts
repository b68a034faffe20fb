import { test } from 'vitest'
import { playOperatorStory } from '../helpers/operator-story.ts'
import { wrapperBox } from '../helpers/wrapper-box.ts'

test(
  'a Claude starts three missions, waits, reads, sends one back, lands two and stops them',
  {
    timeout: 120_000,
  },
  () => playOperatorStory(wrapperBox()),
)
