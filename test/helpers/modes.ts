import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import type { SessionBox } from './session.ts'
import { waitFor } from './wait.ts'

/** For each value of --permission-mode: the mode that Claude starts in, and the next one after Shift+Tab. */
const modeTable = [
  { word: 'default', mode: 'default', next: 'acceptEdits' },
  { word: 'manual', mode: 'default', next: 'acceptEdits' },
  { word: 'allowedTools', mode: 'default', next: 'acceptEdits' },
  { word: 'acceptEdits', mode: 'acceptEdits', next: 'plan' },
  { word: 'plan', mode: 'plan', next: 'auto' },
  { word: 'auto', mode: 'auto', next: 'default' },
  { word: 'dontAsk', mode: 'dontAsk', next: 'default' },
  { word: 'bypassPermissions', mode: 'bypassPermissions', next: 'auto' },
  { word: 'auto-accept', mode: 'bypassPermissions', next: 'auto' },
]

export function argumentsOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
}

export function modeArgument({ claude_pid }: MissionJson): string | undefined {
  const args = argumentsOf(claude_pid!)
  return args[args.indexOf('--permission-mode') + 1]
}

/** Submits a prompt and waits for the reply. Claude reports its mode with it. */
export async function hello(box: SessionBox, id: string): Promise<MissionJson> {
  const { id: window } = box.windowOf(id)!
  const screen = () => box.tmux('capture-pane', '-p', '-t', window)
  await waitFor('the prompt', () => /^❯/m.test(screen()))
  const before = reports(screen())
  box.tmux('send-keys', '-t', window, '-l', 'hi [[text reply]]')
  await waitFor('the words', () => screen().includes('hi [[text reply]]'))
  box.tmux('send-keys', '-t', window, 'Enter')
  await waitFor('the reply', () => reports(screen()) > before)
  return box.waitForState(id, 'idle')
}

function reports(screen: string): number {
  return screen.match(/^● reply/gm)?.length ?? 0
}

/** Plays a few modes at a time. More of them would only slow each other down. */
export async function playModes(box: SessionBox, from: string, { aliases = true } = {}): Promise<void> {
  const rows = modeTable.filter(({ word, mode }) => aliases || word === mode)
  for (let at = 0; at < rows.length; at += atOnce)
    await Promise.all(rows.slice(at, at + atOnce).map(row => playMode(box, from, row)))
}

const atOnce = 3

/** Starts, presses Shift+Tab, stops and resumes, and checks the passed and the stored mode each time. */
async function playMode(box: SessionBox, from: string, { word, mode, next }: (typeof modeTable)[number]) {
  const { mission: id } = await box.startFrom(from, '--no-focus', '--permission-mode', word)
  const started = await hello(box, id)
  expect(modeArgument(started)).toBe(mode)
  expect(started).toMatchObject({ permission_mode: word, permission_mode_source: 'mission' })

  box.tmux('send-keys', '-t', box.windowOf(id)!.id, 'BTab')
  const changed = await hello(box, id)
  expect(changed).toMatchObject({ permission_mode: next, permission_mode_source: 'mission' })

  expect(box.agenc(['mission', 'stop', id])).toMatchObject({ exitCode: 0 })
  expect(box.mission(id)).toMatchObject({ status: 'stopped', permission_mode: next })
  box.agenc(['mission', 'resume', id, '--no-focus'], { env: box.inside(from) })
  await box.waitForState(id, 'idle')
  const resumed = await hello(box, id)
  expect(modeArgument(resumed)).toBe(next)
  expect(resumed).toMatchObject({ permission_mode: next, permission_mode_source: 'mission' })
  box.agenc(['mission', 'stop', id])
}
