import { afterAll, expect, test } from 'vitest'
import { assertHealthy, type Expected, statusesNow } from './assert-healthy.ts'
import { faultBox } from './fault-box.ts'
import { type Kill, outcomeOf } from './kills.ts'
import { type MissionState, missionIn, missionStates, type Subject } from './mission-states.ts'

const rowMs = 180_000
const titleWidth = 24
const cellWidth = 13

/** One test for each kill. It hits one mission in each state at the same moment. Prints a table at the end. */
export function testMatrix(kills: readonly Kill[]): void {
  const rows: string[] = []
  afterAll(() => console.log([header(), ...rows].join('\n')))

  test.each(kills)('$title, in every state', { timeout: rowMs }, async kill => {
    const cells = new Map<MissionState, string>()
    try {
      await strikeAll(kill, cells)
    } finally {
      rows.push(rowOf(kill, cells))
    }
  })
}

async function strikeAll(kill: Kill, cells: Map<MissionState, string>): Promise<void> {
  const box = faultBox()
  // Claude is never killed after a grace period: what happens is due to the fault.
  box.agenc(['config', 'set', 'stop.grace_ms', '60000'])
  const bystander = await box.start()
  const subjects = await Promise.all(missionStates.map(state => missionIn(box, state, bystander.id)))
  const before = statusesNow(box)

  await kill.strike(box, subjects)
  const now = statusesNow(box)
  box.kinds.behave()
  box.agenc(['config', 'set', 'stop.grace_ms', '1000'])
  await Promise.all(subjects.map(({ stop }) => stop))

  const outcomes = subjects.map(subject => ({ subject, outcome: outcomeOf(kill, subject.state) }))
  for (const { subject, outcome } of outcomes) {
    // A command that is stopping the mission needs a moment to see that the wrapper is gone.
    const passing = subject.stop && kill.outcome.status === 'crashed' ? ['crashed'] : []
    const possible = [before[subject.id], outcome.status, ...passing]
    expect(possible, `${subject.state}, at once`).toContain(now[subject.id])
    cells.set(subject.state, 'failed')
  }
  const missions = new Map(
    outcomes.map(({ subject, outcome }): [string, Expected] => [
      subject.id,
      expectedOf(subject, outcome.status),
    ]),
  )
  const status = kill.isForAll ? kill.outcome.status : 'running'
  missions.set(bystander.mission, { status, sessionId: bystander.mission, prompts: [] })
  const explanations = outcomes.filter(({ outcome }) => outcome.isExplained).length
  await assertHealthy(box, { missions, explanations })
  for (const { subject, outcome } of outcomes) cells.set(subject.state, outcome.status)
}

function expectedOf({ sessionId, prompt }: Subject, status: Expected['status']): Expected {
  return { status, sessionId, prompts: [prompt] }
}

function header(): string {
  return ['', ...missionStates]
    .map((title, index) => title.padEnd(index === 0 ? titleWidth : cellWidth))
    .join('')
}

function rowOf({ title }: Kill, cells: ReadonlyMap<MissionState, string>): string {
  const words = missionStates.map(state => (cells.get(state) ?? 'not reached').padEnd(cellWidth))
  return [title.padEnd(titleWidth), ...words].join('')
}
