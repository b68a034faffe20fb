import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findRealClaude, type RealClaude } from '../helpers/real-claude.ts'
import { standInClaude } from '../helpers/stand-in.ts'
import { type StubApi, startStubApi } from '../helpers/stub-api.ts'
import { Bench, type Program } from './bench.ts'
import { type Observation, observe } from './observation.ts'
import type { Scenario } from './scenario.ts'
import { agents } from './scenarios/agents.ts'
import { answers } from './scenarios/answers.ts'
import { conversation } from './scenarios/conversation.ts'
import { headless } from './scenarios/headless.ts'
import { hooks } from './scenarios/hooks.ts'
import { messages } from './scenarios/messages.ts'
import { messaging } from './scenarios/messaging.ts'
import { permissions } from './scenarios/permissions.ts'
import { sessions } from './scenarios/sessions.ts'
import { signals } from './scenarios/signals.ts'
import { startup } from './scenarios/startup.ts'

const installTimeoutMs = 300_000
const scenarioTimeoutMs = 120_000
const maxRunningPrograms = 2

let directory: string
let api: StubApi
let real: RealClaude
let standIn: Program

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'agenc-stand-in-'))
  api = await startStubApi()
  real = await findRealClaude()
  standIn = { name: 'stand-in', path: standInClaude(directory) }
  if ('missing' in real) console.log(`Skipping the comparison with the real Claude: ${real.missing}`)
}, installTimeoutMs)

afterAll(async () => {
  await api?.close()
  rmSync(directory, { recursive: true, force: true })
})

const scenarios = {
  conversation,
  headless,
  messages,
  messaging,
  permissions,
  answers,
  hooks,
  sessions,
  agents,
  signals,
  startup,
}

describe.concurrent('the stand-in behaves like the real Claude', () => {
  for (const [topic, list] of Object.entries(scenarios)) {
    for (const scenario of list) {
      test(`${topic}: ${scenario.name}`, { timeout: scenarioTimeoutMs }, async context => {
        if ('missing' in real) return context.skip(real.missing)
        const program = { name: 'real', path: real.path }
        const [expected, actual] = await Promise.all([play(scenario, program), play(scenario, standIn)])
        expect(actual).toEqual(expected)
      })
    }
  }
})

let freePlaces = maxRunningPrograms
const waiting: (() => void)[] = []

/** Limits the number of running programs: with more, they would slow each other down too much. */
async function play(scenario: Scenario, program: Program): Promise<Observation> {
  if (freePlaces > 0) freePlaces--
  else await new Promise<void>(resolve => waiting.push(resolve))
  const bench = Bench.open(program, api.baseUrl, { trusted: scenario.trusted })
  try {
    return observe(bench, await scenario.play(bench))
  } finally {
    await bench.dispose()
    const next = waiting.shift()
    if (next) next()
    else freePlaces++
  }
}
