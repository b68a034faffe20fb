import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { standInClaude } from '../helpers/stand-in.ts'
import { Bench, type Program } from './bench.ts'
import { exitByDoublePress, leave, startAndGreet, touch } from './scenario.ts'

/** Behaviour that cannot, or should not, be compared with the real program. */

const timeout = 30_000
let directory: string
let program: Program
const benches: Bench[] = []

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'agenc-stand-in-'))
  program = { name: 'stand-in', path: standInClaude(directory) }
})

afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.dispose()
})

afterAll(() => rmSync(directory, { recursive: true, force: true }))

async function open(): Promise<Bench> {
  const bench = Bench.open(program, 'http://127.0.0.1:9')
  benches.push(bench)
  return bench
}

const left = '\u001b[D'
const agentView = '{"disableAgentView":false}'

test('the left arrow moves the conversation to another session id', { timeout }, async () => {
  const bench = await open()
  const settings = bench.hooks.settings()
  const json = JSON.parse(readFileSync(settings, 'utf8'))
  const args = ['--session-id', bench.sessionId, '--permission-mode', 'manual']
  const flag = JSON.stringify({ ...json, ...JSON.parse(agentView) })
  const terminal = bench.start([...args, '--settings', flag])
  await bench.untilReady(terminal)
  expect(terminal.screen()).toContain('← for agents')
  await bench.say(terminal, 'Hello. [[text Hello.]]')
  await bench.untilEvent('Stop')
  await bench.untilStatus('idle')
  terminal.send(left)
  await bench.untilScreen(terminal, /moved to the background/)
  const start = bench.events().findLast(event => event.hook_event_name === 'SessionStart')
  expect(start?.source).toBe('fork')
  expect(start?.session_id).not.toBe(bench.sessionId)
  await bench.until(() => bench.status?.sessionId === start?.session_id, 'the new id')
})

for (const way of ['settings', 'environment']) {
  test(`the left arrow does nothing if ${way === 'settings' ? 'a setting' : 'a variable'} disables the agent view`, {
    timeout,
  }, async () => {
    const bench = await open()
    const env = way === 'environment' ? { CLAUDE_CODE_DISABLE_AGENT_VIEW: '1' } : undefined
    const settings = way === 'settings' ? bench.hooks.settings() : agentView
    const terminal = bench.start(['--permission-mode', 'manual', '--settings', settings], { env })
    await bench.untilReady(terminal)
    expect(terminal.screen()).not.toContain('← for agents')
    terminal.send(left)
    await bench.say(terminal, 'Still here. [[text Yes.]]')
    await bench.untilScreen(terminal, /● Yes\./)
    await leave(bench, terminal)
  })
}

test('redraws the screen after a resize', { timeout }, async () => {
  const bench = await open()
  const terminal = await startAndGreet(bench, ['-n', 'sized'])
  for (const [columns, rows] of [
    [20, 6],
    [200, 50],
    [40, 12],
  ] as const) {
    terminal.resize(columns, rows)
    await bench.until(() => /─ sized ─$/m.test(terminal.screen()), `${columns} × ${rows}`)
    await bench.until(() => lineOf(terminal.screen(), /^─+$/)?.length === columns, `a rule of ${columns}`)
    const lines = terminal.screen().split('\n')
    expect(lines).toHaveLength(rows)
    expect(lines.at(-1)).toMatch(/manual mode on/)
  }
})

function lineOf(screen: string, pattern: RegExp): string | undefined {
  return screen.split('\n').find(line => pattern.test(line))
}

test('shows the last choices of a dialog on a screen of ten rows', { timeout }, async () => {
  const bench = await open()
  const terminal = await bench.ready()
  terminal.resize(60, 10)
  await bench.say(terminal, touch(bench))
  await bench.untilDialog(terminal, /4\. No/)
  terminal.send('4')
  await bench.untilStatus('idle')
})

test('switches the keyboard protocol on if the terminal supports it, and off at the end', {
  timeout,
}, async () => {
  const bench = await open()
  const terminal = await bench.ready()
  terminal.send('\u001b[?0u')
  await bench.until(() => terminal.raw.includes('\u001b[>5u'), 'the protocol')
  terminal.send('\u001b[104;1u\u001b[105;1u')
  await bench.untilScreen(terminal, /^❯\u00a0hi/m)
  await exitByDoublePress(bench, terminal, '\u001b[99;5u')
  expect(terminal.raw.lastIndexOf('\u001b[<u')).toBeGreaterThan(terminal.raw.lastIndexOf('\u001b[>5u'))
})

test('five processes update .claude.json without losing a change', { timeout }, async () => {
  const bench = await open()
  const before = bench.claudeJson() as { numStartups?: number; theme?: string }
  const terminals = Array.from({ length: 5 }, () => bench.start(['--permission-mode', 'manual']))
  for (const terminal of terminals) await bench.untilScreen(terminal, /^❯\u00a0/m)
  const after = bench.claudeJson() as { numStartups?: number; theme?: string }
  expect(after.numStartups).toBe((before.numStartups ?? 0) + 5)
  expect(after.theme).toBe(before.theme)
})

test('runs SessionEnd once if two signals arrive', { timeout }, async () => {
  const bench = await open()
  const terminal = await startAndGreet(bench)
  terminal.kill('SIGTERM')
  terminal.kill('SIGHUP')
  const { code, signal } = await bench.ended(terminal)
  expect({ known: [129, 143].includes(code), signal }).toEqual({ known: true, signal: 0 })
  expect(bench.events().filter(event => event.hook_event_name === 'SessionEnd')).toHaveLength(1)
})

test('ends in order when its terminal is closed', { timeout }, async () => {
  const bench = await open()
  const terminal = await startAndGreet(bench)
  terminal.hangUp()
  expect(await bench.ended(terminal)).toEqual({ code: 129, signal: 0 })
  expect(bench.events().at(-1)).toMatchObject({ hook_event_name: 'SessionEnd', reason: 'other' })
  expect(bench.hasStatusFile(terminal)).toBe(false)
})
