import { describe, expect, test } from 'vitest'
import { decide, objection } from '../../src/approvals/decide.ts'
import type { Rule } from '../../src/approvals/rule.ts'
import type { Approve } from '../../src/config/approve-modes.ts'
import {
  allowed,
  hostile,
  maybePushes,
  notProven,
  notPushes,
  pushes,
  unreadable,
} from './approvals-command-tables.ts'

const dir = '/mission/agent'
const everyday: Rule[] = ['git *', 'ls', 'ls *', 'npm test'].map(match => ({
  tool: 'Bash',
  match,
  decision: 'allow',
}))
const noPush: Rule[] = [{ tool: 'Bash', match: 'git push*', decision: 'deny', message: "push is the user's" }]

function bash(command: string, rules: Rule[], mode: Approve = 'rules', cwd = dir) {
  return decide({ tool: 'Bash', input: { command }, dir, cwd }, rules, mode, path => path)
}

test('the tables hold more than 400 different commands, most of them hostile', () => {
  const all = [...allowed, ...hostile]
  expect(new Set(all).size).toBe(all.length)
  expect(all.length).toBeGreaterThan(400)
  expect(hostile.length).toBeGreaterThan(all.length / 2)
})

describe('with rules that allow git *, ls and npm test', () => {
  test.each(allowed)('allows %j', command => {
    expect(bash(command, everyday)).toMatchObject({ decision: 'allow' })
  })

  test.each(notProven)('asks about %j, which has no proof', command => {
    expect(bash(command, everyday)).toMatchObject({ decision: 'ask' })
    expect(bash(command, [], 'all')).toMatchObject({ decision: 'allow' })
  })

  test.each(hostile)('asks about %j', command => {
    expect(bash(command, everyday)).toMatchObject({ decision: 'ask' })
  })

  test('approve mode ask allows none of them', () => {
    for (const command of [...allowed, ...hostile])
      expect(bash(command, everyday, 'ask').decision).toBe('ask')
  })
})

describe('with a rule that denies git push', () => {
  test.each(pushes)('every approve mode denies %j', command => {
    expect(bash(command, [...everyday, ...noPush])).toMatchObject({
      decision: 'deny',
      rule: 4,
      message: "push is the user's",
    })
    expect(bash(command, noPush, 'all').decision).toBe('deny')
    expect(bash(command, noPush, 'ask').decision).toBe('deny')
    const request = { tool: 'Bash', input: { command }, dir, cwd: dir }
    expect(objection(request, noPush, path => path)).toMatchObject({ decision: 'deny', rule: 0 })
  })

  test.each(notPushes)('approve mode all allows %j', command => {
    expect(bash(command, noPush, 'all').decision).toBe('allow')
  })

  test.each(maybePushes)('even approve mode all asks about %j', command => {
    expect(bash(command, noPush, 'all').decision).toBe('ask')
    expect(bash(command, [], 'all').decision).toBe('allow')
  })

  test.each(unreadable)('%j is asked in every mode, with and without rules', command => {
    const anything: Rule[] = [{ tool: 'Bash', decision: 'allow' }]
    for (const rules of [noPush, [], anything])
      for (const mode of ['rules', 'all'] as const) expect(bash(command, rules, mode).decision).toBe('ask')
    const request = { tool: 'Bash', input: { command }, dir, cwd: dir }
    expect(objection(request, [], path => path)?.decision).toBe('ask')
  })
})
