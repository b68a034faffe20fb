import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import type { Status } from '../../src/mission/mission-status.ts'
import { isAlive } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'
import type { ObservedBox } from './fault-box.ts'
import { commandLineOf, familyOf, processesOf } from './mission-processes.ts'

/** What must be true of a mission after a fault. */
export interface Expected {
  status: Status
  /** The conversation that it must resume. */
  sessionId: string
  /** Every prompt that was given to it. At the end, each must be in its conversation exactly once. */
  prompts: readonly string[]
}

export interface Expectations {
  missions: ReadonlyMap<string, Expected>
  /** How many windows stay open to show why a mission ended. */
  explanations?: number
}

const settleMs = 30_000
/** What a window that explains the end of its mission asks. */
export const choice = 'Enter: resume, q: close'

/**
 * The assertions after every fault. First everything agenc says must be true. Then crashed missions are restored, the
 * others resumed, and all of them stopped. Nothing may be lost, done twice or left behind on the way.
 */
export async function assertHealthy(box: ObservedBox, expectations: Expectations): Promise<void> {
  await assertTruthful(box, expectations)
  await assertRestorable(box, expectations)
  await closeExplanations(box)
  await assertContinues(box, withStatus(expectations, ['running', 'crashed']))
  await assertResumable(box, withStatus(expectations, ['stopped']))
  await assertNothingLeft(box, expectations)
}

/** Whatever agenc says about its missions is true, and nothing runs or shows that should not. */
export async function assertTruthful(box: ObservedBox, expectations: Expectations): Promise<void> {
  await untilStatuses(box, expectations)
  const { missions } = expectations
  for (const [id, { status }] of missions) {
    if (status === 'running') await assertRuns(box, id)
    else await assertGone(box, id)
  }
  await assertWindows(box, expectations)
  assertStoreIntact(box)
  assertNothingPending(box)
  assertDoctorAgrees(box, withStatus(expectations, ['crashed']).length)
}

export function statusesNow(box: ObservedBox): Record<string, Status> {
  return Object.fromEntries(box.missions().map(({ id, status }) => [id, status]))
}

/** Waits until agenc shows the expected statuses. */
export async function untilStatuses(box: ObservedBox, { missions }: Expectations): Promise<void> {
  const expected = Object.fromEntries([...missions].map(([id, { status }]) => [id, status]))
  let statuses = {}
  const areRight = () => {
    statuses = statusesNow(box)
    return JSON.stringify(sorted(statuses)) === JSON.stringify(sorted(expected))
  }
  await waitFor('the expected statuses', areRight, settleMs).catch(() => {})
  expect(statuses).toEqual(expected)
}

function sorted(record: object): [string, unknown][] {
  return Object.entries(record).sort(([a], [b]) => a.localeCompare(b))
}

async function assertRuns(box: ObservedBox, id: string): Promise<void> {
  const { wrapper_pid, claude_pid, session_id } = box.record(id)
  expect([wrapper_pid!, claude_pid!].filter(isAlive), `wrapper and Claude of ${id}`).toHaveLength(2)
  expect(commandLineOf(claude_pid!), `the command line of the Claude of ${id}`).toContain(session_id)
  const strangers = () => {
    const known = [...familyOf(wrapper_pid!), ...explanationWindows(box).map(({ pid }) => pid)]
    return processesOf(id).filter(pid => !known.includes(pid))
  }
  await untilNone(`no process of ${id} outside of its wrapper`, strangers)
}

/** Only a window that explains the ending may still have a process of the mission. */
async function assertGone(box: ObservedBox, id: string): Promise<void> {
  const left = () => {
    const explaining = explanationWindows(box).map(({ pid }) => pid)
    return processesOf(id).filter(pid => !explaining.includes(pid))
  }
  await untilNone(`no process of ${id}`, left)
}

async function untilNone(title: string, list: () => readonly unknown[]): Promise<void> {
  let last: readonly unknown[] = []
  const isNone = () => {
    last = list()
    return last.length === 0
  }
  await waitFor(title, isNone, settleMs).catch(() => {})
  expect(last.map(describeProcess), title).toEqual([])
}

function describeProcess(pid: unknown): string {
  return typeof pid === 'number' ? `${pid}: ${commandLineOf(pid).join(' ')}` : String(pid)
}

interface ExplanationWindow {
  id: string
  pid: number
}

function explanationWindows(box: ObservedBox): ExplanationWindow[] {
  return box
    .openWindows()
    .filter(({ id, state }) => state === 'crashed' && box.screen(id).includes(choice))
    .map(({ id }) => ({ id, pid: Number(box.tmux('display-message', '-p', '-t', id, '#{pane_pid}')) }))
}

/** One window for each running mission, and otherwise only those that show why a mission ended. */
async function assertWindows(box: ObservedBox, { missions, explanations = 0 }: Expectations): Promise<void> {
  await waitFor('the explanations', () => explanationWindows(box).length === explanations).catch(() => {})
  const explaining = explanationWindows(box).map(({ id }) => id)
  expect(explaining, 'windows that explain').toHaveLength(explanations)
  const running = withStatus({ missions }, ['running']).map(([id]) => id)
  const others = box.openWindows().filter(({ id }) => !explaining.includes(id))
  expect(others.map(({ mission }) => mission).sort(), 'missions with a window').toEqual(running.sort())
}

function assertStoreIntact(box: ObservedBox): void {
  expect(box.query('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  expect(box.query('PRAGMA foreign_key_check')).toEqual([])
}

/** Only a running mission that waits has requests. */
function assertNothingPending(box: ObservedBox): void {
  const others = box.missions().filter(({ state }) => state !== 'waiting')
  expect(others.flatMap(({ pending }) => pending)).toEqual([])
}

interface Finding {
  check: string
  status: string
  message: string
}

function assertDoctorAgrees(box: ObservedBox, crashed: number): void {
  const examined = box.agenc(['doctor', '--json'])
  const findings: Finding[] = JSON.parse(examined.stdout)
  const about = (check: string) => findings.filter(finding => finding.check === check)
  expect(findings.filter(({ status }) => status === 'problem')).toEqual([])
  expect([...about('store'), ...about('home'), ...about('settings')].map(({ status }) => status)).toEqual([
    'ok',
    'ok',
    'ok',
  ])
  // The FIFO of a killed wrapper is removed by the next one.
  const leftovers = about('leftovers').filter(({ message }) => !/\/run\/bell$/.test(message))
  const messages = leftovers.filter(({ status }) => status !== 'ok').map(({ message }) => message)
  expect(messages, 'what doctor says').toEqual(
    crashed === 0 ? [] : [expect.stringMatching(new RegExp(`^${crashed} missions? ended unexpectedly`))],
  )
}

interface Restored {
  id: string
  restored: boolean
  reason: string | null
}

/** `restore` brings back the crashed missions, and changes nothing else. */
async function assertRestorable(box: ObservedBox, { missions }: Expectations): Promise<void> {
  const before = new Map(box.missions().map(mission => [mission.id as string, mission]))
  const crashed = withStatus({ missions }, ['crashed']).map(([id]) => id)
  const restored = box.agencJson<Restored[]>(['tmux', 'restore'])
  expect(restored.map(({ id }) => id).sort(), 'restored').toEqual(crashed.sort())
  expect(restored.filter(one => !one.restored)).toEqual([])
  expect(box.agencJson<Restored[]>(['tmux', 'restore']), 'restored again').toEqual([])
  for (const mission of box.missions()) {
    const { status, wrapper_pid, session_id } = before.get(mission.id)!
    const wanted = crashed.includes(mission.id) ? { status: 'running' } : { status, wrapper_pid }
    expect(mission, 'after restore').toMatchObject({ ...wanted, session_id })
  }
  const claimed = box.openWindows().filter(({ mission, state }) => mission !== '' && state !== 'crashed')
  expect(claimed).toHaveLength(withStatus({ missions }, ['running', 'crashed']).length)
}

async function closeExplanations(box: ObservedBox): Promise<void> {
  for (const { id } of explanationWindows(box)) box.tmux('send-keys', '-t', id, 'q')
  await waitFor('windows that were read to close', () => explanationWindows(box).length === 0)
}

/** How many missions are resumed at the same time. */
const mostAtOnce = 8

async function assertResumable(box: ObservedBox, stopped: [string, Expected][]): Promise<void> {
  for (let first = 0; first < stopped.length; first += mostAtOnce) {
    const some = stopped.slice(first, first + mostAtOnce)
    const env = box.inside(box.openWindows()[0]?.id ?? (await box.start()).id)
    const resumed = await Promise.all(
      some.map(([id]) => box.agencAsync(['mission', 'resume', id, '--no-focus'], { env })),
    )
    expect(resumed.filter(({ exitCode }) => exitCode !== 0)).toEqual([])
    for (const [id] of some) await box.until(id, 'idle')
    await assertContinues(box, some)
    if (stopped.length > mostAtOnce) box.agenc(['mission', 'stop', ...some.map(([id]) => id)])
  }
}

/** The missions run in one window each, with their own conversation and every prompt in it once. */
async function assertContinues(box: ObservedBox, missions: [string, Expected][]): Promise<void> {
  for (const [id, { sessionId, prompts }] of missions) {
    await assertRuns(box, id)
    expect(box.record(id).session_id).toBe(sessionId)
    expect(box.openWindows().filter(({ mission }) => mission === id)).toHaveLength(1)
    await waitFor(`all prompts of ${id}`, () => box.promptsOf(id).length >= prompts.length).catch(() => {})
    expect([...box.promptsOf(id)].sort(), `the prompts of ${id}`).toEqual([...prompts].sort())
  }
}

function withStatus({ missions }: Expectations, statuses: readonly Status[]): [string, Expected][] {
  return [...missions].filter(([, { status }]) => statuses.includes(status))
}

/** Stops all missions. No process, window, request or file may be left. */
async function assertNothingLeft(box: ObservedBox, expectations: Expectations): Promise<void> {
  expect(box.agenc(['mission', 'stop', '--all'])).toMatchObject({ exitCode: 0 })
  const all = box.missions()
  for (const { id } of all) await untilNone(`no process of ${id}`, () => processesOf(id))
  expect(new Set(all.map(({ status }: MissionJson) => status)).has('running')).toBe(false)
  await waitFor('all windows to close', () => box.openWindows().length === 0)
  expect(box.query('SELECT * FROM approvals WHERE decided_by IS NULL'), 'open requests').toEqual([])
  assertStoreIntact(box)
  assertDoctorAgrees(box, 0)
  expect(leftFiles(box, [...expectations.missions.keys()]), 'files that were left').toEqual([])
}

const temporaryName = /\.lock$|\.takeover$|\.tmp$|^\.unfinished-|^\.deleted-|^doctor-/

/** Directories that the real Claude keeps for its later runs. */
const claudesOwn = /\/(claude-\d+|cc-socks)$/

/** Locks, drafts, events, FIFOs and prompts. */
function leftFiles(box: ObservedBox, ids: readonly string[]): string[] {
  const ofMissions = ids.flatMap(id => {
    const { prompt, wakeup, events, asks, root, run } = box.paths(id)
    return [
      ...[prompt, wakeup].filter(existsSync),
      ...[events, asks].flatMap(directory => entriesOf(directory)),
      ...[root, run].flatMap(directory => entriesOf(directory).filter(isTemporary)),
    ]
  })
  const ofHome = [box.agencHome, join(box.agencHome, 'missions'), join(box.agencHome, 'repos'), box.home]
  return [
    ...ofMissions,
    ...ofHome.flatMap(directory => entriesOf(directory).filter(isTemporary)),
    ...entriesOf(box.temporary).filter(path => !claudesOwn.test(path)),
  ]
}

function isTemporary(path: string): boolean {
  return temporaryName.test(path.slice(path.lastIndexOf('/') + 1))
}

function entriesOf(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).map(name => join(directory, name)) : []
}
