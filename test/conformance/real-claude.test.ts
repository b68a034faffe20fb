import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findRealClaude, type RealClaude } from '../helpers/real-claude.ts'
import { standInClaude } from '../helpers/stand-in.ts'
import { type StubApi, startStubApi } from '../helpers/stub-api.ts'
import { Bench, type Program } from './bench.ts'
import { Gate } from './gate.ts'
import { type Observation, observe } from './observation.ts'
import type { Scenario } from './scenario.ts'
import { agents } from './scenarios/agents.ts'
import { conversation } from './scenarios/conversation.ts'
import { hooks } from './scenarios/hooks.ts'
import { permissions } from './scenarios/permissions.ts'
import { sessions } from './scenarios/sessions.ts'
import { signals } from './scenarios/signals.ts'
import { startup } from './scenarios/startup.ts'

const installTimeoutMs = 300_000
const scenarioTimeoutMs = 120_000
/** More at a time and the programs are too slow for each other. */
const atOnce = new Gate(2)

let directory: string
let api: StubApi
let real: RealClaude
let standIn: Program

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'agenc-stand-in-'))
  api = await startStubApi()
  real = await findRealClaude()
  standIn = { name: 'stand-in', path: standInClaude(directory) }
  if ('missing' in real) console.log(`The stand-in is not compared with the real program: ${real.missing}`)
}, installTimeoutMs)

afterAll(async () => {
  await api?.close()
  rmSync(directory, { recursive: true, force: true })
})

const rooms = { conversation, permissions, hooks, sessions, agents, signals, startup }

describe.concurrent('the stand-in does what Claude Code does', { retry: 1 }, () => {
  for (const [room, scenarios] of Object.entries(rooms)) {
    for (const scenario of scenarios) {
      test(`${room}: ${scenario.name}`, { timeout: scenarioTimeoutMs }, async context => {
        if ('missing' in real) return context.skip(real.missing)
        const program = { name: 'real', path: real.path }
        const [expected, actual] = await Promise.all([play(scenario, program), play(scenario, standIn)])
        expect(actual).toEqual(expected)
      })
    }
  }
})

function play(scenario: Scenario, program: Program): Promise<Observation> {
  return atOnce.pass(async () => {
    const bench = await Bench.open(program, api.baseUrl, { trusted: scenario.trusted })
    try {
      const facts = await scenario.play(bench)
      return observe(bench, facts)
    } finally {
      await bench.dispose()
    }
  })
}
