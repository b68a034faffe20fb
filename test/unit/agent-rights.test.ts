import { describe, expect, test } from 'vitest'
import { rulesForRepo } from '../../src/approvals/rules-for-repo.ts'
import { defaultConfig } from '../../src/config/read.ts'
import type { Config } from '../../src/config/schema.ts'
import type { MissionRecord } from '../../src/db/missions.ts'
import { isModeWithin, isWithin, rightsForChild, rightsOf } from '../../src/mission/agent-rights.ts'
import { missionTree } from '../../src/mission/mission-tree.ts'
import { mostByMemory } from '../../src/mission/start-limits.ts'
import { newMissionId } from '../../src/mission-id.ts'
import { aMission } from '../helpers/a-mission.ts'

function agent(given: Partial<MissionRecord>): MissionRecord {
  return { ...aMission(), reported_permission_mode: null, agent_repos: null, ...given } as MissionRecord
}

function settings(given: { mode?: string; approve?: 'ask' | 'rules' | 'all'; repos?: object }): Config {
  const { mode, approve = 'ask', repos = {} } = given
  return {
    ...defaultConfig,
    claude: { ...defaultConfig.claude, ...(mode === undefined ? {} : { permission_mode: mode }) },
    approvals: { ...defaultConfig.approvals, mode: approve },
    repos: { ...defaultConfig.repos, ...repos },
  }
}

const nothing = { repo: null, permissionMode: null, approve: null, mayAnswer: false }

describe('the width of permission modes', () => {
  const ordered = ['default', 'acceptEdits', 'auto', 'bypassPermissions']

  test('goes from default to bypassPermissions', () => {
    for (const [index, mode] of ordered.entries())
      for (const [limitIndex, limit] of ordered.entries())
        expect([mode, limit, isModeWithin(mode, limit)]).toEqual([mode, limit, index <= limitIndex])
  })

  test('plan, manual and dontAsk are as narrow as default', () => {
    for (const mode of ['plan', 'manual', 'dontAsk', 'default'])
      for (const limit of ['plan', 'manual', 'dontAsk', 'default', null, 'allowedTools', 'unheardOf'])
        expect([mode, limit, isModeWithin(mode, limit)]).toEqual([mode, limit, true])
  })

  test.each([
    ['acceptEdits', null],
    ['acceptEdits', 'plan'],
    ['auto-accept', 'auto'],
    ['allowedTools', 'default'],
    ['allowedTools', 'auto'],
    ['acceptEdits', 'allowedTools'],
    ['unheardOf', 'auto'],
    ['acceptEdits', 'unheardOf'],
    ['constructor', 'acceptEdits'],
    ['', 'acceptEdits'],
  ])('%s is not within %s', (mode, limit) => expect(isModeWithin(mode, limit)).toBe(false))

  test.each([
    ['allowedTools', 'allowedTools'],
    ['unheardOf', 'unheardOf'],
    ['unheardOf', 'bypassPermissions'],
    ['allowedTools', 'auto-accept'],
    ['bypassPermissions', 'auto-accept'],
  ])('%s is within %s', (mode, limit) => expect(isModeWithin(mode, limit)).toBe(true))
})

describe('the rights of an agent', () => {
  test('include the mode that the user has switched to in Claude', () => {
    const mission = { permission_mode: 'acceptEdits', reported_permission_mode: 'plan' }
    expect(rightsOf(agent(mission), settings({})).mode).toBe('plan')
  })

  test('keep the name of a mode that Claude knows by another one', () => {
    const mission = { permission_mode: 'allowedTools', reported_permission_mode: 'default' }
    expect(rightsOf(agent(mission), settings({})).mode).toBe('allowedTools')
  })
})

describe('a mission that an agent starts', () => {
  const narrow = agent({ permission_mode: 'acceptEdits', approve: 'rules' })

  test.each([
    { permissionMode: 'bypassPermissions' },
    { permissionMode: 'auto' },
    { permissionMode: 'unheardOf' },
    { approve: 'all' as const },
    { mayAnswer: true },
  ])('cannot have %o', wish => {
    expect(() => rightsForChild(narrow, { ...nothing, ...wish }, settings({}))).toThrow(
      'cannot give another mission more rights than it has',
    )
  })

  test('may have as much as the agent, or less', () => {
    const equal = { permissionMode: 'acceptEdits', approve: 'rules' as const, mayAnswer: false }
    expect(rightsForChild(narrow, { ...nothing, ...equal }, settings({}))).toEqual(equal)
    const less = { permissionMode: 'plan', approve: 'ask' as const, mayAnswer: false }
    expect(rightsForChild(narrow, { ...nothing, ...less }, settings({}))).toEqual(less)
  })

  test('gets what is narrower if nothing is said: the settings, or the rights of the agent', () => {
    const wide = settings({ mode: 'bypassPermissions', approve: 'all' })
    expect(rightsForChild(narrow, nothing, wide)).toMatchObject({
      permissionMode: 'acceptEdits',
      approve: 'rules',
    })
    // Null follows the settings, which the user may still change.
    expect(rightsForChild(narrow, nothing, settings({ mode: 'default' }))).toMatchObject({
      permissionMode: null,
      approve: null,
    })
    expect(rightsForChild(narrow, nothing, settings({})).permissionMode).toBe('acceptEdits')
  })

  test('does not get the wider settings of another repo', () => {
    const repos = { 'github.com/o/wide': { permission_mode: 'bypassPermissions', approve: 'all' } }
    const wanted = { ...nothing, repo: 'github.com/o/wide' }
    expect(rightsForChild(agent({}), wanted, settings({ repos }))).toMatchObject({
      permissionMode: 'default',
      approve: 'ask',
    })
  })

  test('gets less than the mission that it is a fork of, instead of an error', () => {
    const wide = { ...nothing, permissionMode: 'bypassPermissions', approve: 'all' as const, mayAnswer: true }
    expect(rightsForChild(narrow, wide, settings({}), { isInherited: true })).toEqual({
      permissionMode: 'acceptEdits',
      approve: 'rules',
      mayAnswer: false,
    })
  })

  test('has no wider rights than an agent that Claude’s own settings rule', () => {
    const open = { mode: null, approve: 'ask' as const, mayAnswer: false }
    expect(isWithin(open, open)).toBe(true)
    expect(isWithin(open, { ...open, mode: 'default' })).toBe(false)
    expect(isWithin(open, { ...open, mode: 'bypassPermissions' })).toBe(true)
  })
})

describe('rules of repos', () => {
  const a = 'github.com/o/a'
  const b = 'github.com/o/b'
  const rules = [
    { tool: 'Bash', decision: 'allow' as const, repo: b },
    { tool: 'Bash', decision: 'deny' as const, repo: a },
    { tool: 'Read', decision: 'allow' as const },
    { tool: 'Write', decision: 'ask' as const, repo: 'github.com/o/c' },
  ]
  const applying = (repo: string | null, agentRepos: (string | null)[]) =>
    rulesForRepo(rules, repo, agentRepos).flatMap((rule, index) => (rule.tool === '-' ? [] : [index]))

  test('allow only what every agent above may do, and deny what one of them may not', () => {
    expect(applying(b, [])).toEqual([0, 2])
    expect(applying(b, [b])).toEqual([0, 2])
    expect(applying(b, [a])).toEqual([1, 2])
    expect(applying(b, [b, a, b])).toEqual([1, 2])
    expect(applying(null, [b])).toEqual([2])
    expect(applying(b, [null])).toEqual([2])
  })
})

describe('the tree of missions', () => {
  const [a, b, c, d, e] = Array.from({ length: 5 }, newMissionId)
  const shown = (pairs: [string, string | null][]) =>
    missionTree(pairs.map(([id, parent]) => ({ id, parent })) as never).map(({ item, lines }) => [
      lines,
      item.id,
    ])

  test('keeps the order among brothers, and puts children of unknown parents at the top', () => {
    expect(
      shown([
        [d!, b!],
        [c!, a!],
        [e!, newMissionId()],
        [b!, a!],
        [a!, null],
      ]),
    ).toEqual([
      ['', e],
      ['', a],
      ['├─ ', c],
      ['└─ ', b],
      ['   └─ ', d],
    ])
  })

  test('shows missions that are each other’s parents', () => {
    expect(
      shown([
        [a!, b!],
        [b!, a!],
      ]),
    ).toEqual([
      ['', a],
      ['└─ ', b],
    ])
  })
})

test('the number of missions follows the memory, and is never less than 4', () => {
  expect(mostByMemory(16 * 2 ** 30)).toBe(40)
  expect(mostByMemory(2 ** 30)).toBe(4)
})
