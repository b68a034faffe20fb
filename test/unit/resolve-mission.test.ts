import { describe, expect, test } from 'vitest'
import { resolveMission } from '../../src/mission/resolve-mission.ts'
import type { MissionId } from '../../src/mission-id.ts'

const at = (id: string, name: string | null) => ({
  id: `${id.padEnd(8, '0')}-0000-4000-8000-000000000000` as MissionId,
  name,
  repo: null,
})

const login = at('1111aaaa', 'fix login')
const logout = at('2222bbbb', 'fix logout')
const beef = at('3333cccc', 'BEEF')
const beefId = at('beef1234', null)
const twin = at('4444dddd', 'twin')
const otherTwin = at('5555eeee', 'twin')
const upper = at('6666ffff', 'Docs')
const lower = at('77770000', 'docs')
const inText = at('88880000', 'the docs')
const all = [login, logout, beef, beefId, twin, otherTwin, upper, lower, inText]

const found = (word: string) => resolveMission(word, all, {})

describe('a mission is found by', () => {
  test.each([
    ['its id', login.id, login],
    ['the start of its id', '1111', login],
    ['its name', 'fix login', login],
    ['its name in another case', 'FIX LOGIN', login],
    ['the start of its name', 'fix logi', login],
    ['a start of its name that is shorter than a prefix of an id may be', 'th', inText],
    ['an id rather than a name', 'beef', beefId],
    ['a name in the same case rather than one in another', 'docs', lower],
    ['a whole name rather than the start of one', 'Docs', upper],
  ])('%s', (_how, word, mission) => {
    expect(found(word)).toBe(mission)
  })

  test('a whole name, although it is the start of another', () => {
    const short = at('99990000', 'fix')
    expect(resolveMission('fix', [login, short], {})).toBe(short)
  })
})

describe('no mission is chosen', () => {
  test.each([
    ['two of one name', 'twin', /"twin" matches 2 missions/, [twin, otherTwin]],
    ['two names that start with the word', 'fix', /"fix" matches 2 missions/, [login, logout]],
  ])('for %s, and both are listed', (_why, word, message, candidates) => {
    const error = errorOf(word)
    expect(error.message).toMatch(message)
    expect(error.hint.split('\n').slice(1)).toEqual(
      candidates.map(({ id, name }) => `  ${id.slice(0, 8)}  ${name}`),
    )
  })

  test.each([
    ['', /no mission ""/],
    ['ogin', /no mission "ogin"/],
    ['111', /too short/],
  ])('for %j', (word, message) => {
    expect(errorOf(word).message).toMatch(message)
  })
})

function errorOf(word: string): Error & { hint: string } {
  try {
    found(word)
  } catch (error) {
    return error as Error & { hint: string }
  }
  throw new Error(`${word} found a mission`)
}
