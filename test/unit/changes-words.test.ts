import { expect, test } from 'vitest'
import { changesInFull, changesWords } from '../../src/mission/changes-words.ts'

const none = { files: 0, insertions: 0, deletions: 0, ahead: 0, unpushed: 0, dirty: false, at: '' }

test.each([
  [none, '', 'none'],
  [{ ...none, files: 3, insertions: 120, deletions: 8 }, '+120 -8', '3 files, +120 -8'],
  [
    { ...none, files: 1, insertions: 12_345, ahead: 1, unpushed: 1, dirty: true },
    '+12k -0 ↑1 *',
    '1 file, +12345 -0, 1 commit, 1 not pushed, uncommitted changes',
  ],
  [{ ...none, files: 2, dirty: true }, '2 files *', '2 files, +0 -0, uncommitted changes'],
  [{ ...none, ahead: 2 }, '↑2', 'none, 2 commits'],
])('%j is told as %s', (changes, words, full) => {
  expect(changesWords(changes)).toBe(words)
  expect(changesInFull(changes)).toBe(full)
})

test('unknown changes are not told', () => {
  expect(changesWords(null)).toBe('')
  expect(changesInFull(null)).toBe('')
})
