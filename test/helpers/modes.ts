import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import type { SessionBox } from './session.ts'
import { waitFor } from './wait.ts'

/** For each value of `--permission-mode`: Claude's mode, and the mode after one Shift+Tab. */
const modeTable = [
  { given: 'default', mode: 'default', next: 'acceptEdits' },
  { given: 'manual', mode: 'default', next: 'acceptEdits' },
  { given: 'allowedTools', mode: 'default', next: 'acceptEdits' },
  { given: 'acceptEdits', mode: 'acceptEdits', next: 'plan' },
  { given: 'plan', mode: 'plan', next: 'auto' },
  { given: 'auto', mode: 'auto', next: 'default' },
  { given: 'dontAsk', mode: 'dontAsk', next: 'default' },
  { given: 'bypassPermissions', mode: 'bypassPermissions', next: 'auto' },
  { given: 'auto-accept', mode: 'bypassPermissions', next: 'auto' },
]

export function argumentsOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
}

export function modeArgument({ claude_pid }: MissionJson): string | undefined {
  const args = argumentsOf(claude_pid!)
  return args[args.indexOf('--permission-mode') + 1]
}

/** Sends a prompt and waits for the reply. Claude reports its mode only with a prompt. */
export async function sayHello(box: SessionBox, id: string): Promise<MissionJson> {
  const { id: window } = box.windowOf(id)!
  const screen = () => box.tmux('capture-pane', '-p', '-t', window)
  await waitFor('the prompt', () => /^❯/m.test(screen()))
  const before = countReplies(screen())
  box.tmux('send-keys', '-t', window, '-l', 'hi [[text reply]]')
  await waitFor('the typed prompt', () => screen().includes('hi [[text reply]]'))
  box.tmux('send-keys', '-t', window, 'Enter')
  await waitFor('the reply', () => countReplies(screen()) > before)
  return box.waitForState(id, 'idle')
}

function countReplies(screen: string): number {
  return screen.match(/^● reply/gm)?.length ?? 0
}

/** Tries a few modes at a time; with more, they would slow each other down. */
export async function checkEveryMode(box: SessionBox, from: string, { aliases = true } = {}): Promise<void> {
  const rows = modeTable.filter(({ given, mode }) => aliases || given === mode)
  for (let at = 0; at < rows.length; at += atOnce)
    await Promise.all(rows.slice(at, at + atOnce).map(row => checkMode(box, from, row)))
}

const atOnce = 3

/** Checks Claude's arguments and the stored mode after start, Shift+Tab, stop and resume. */
async function checkMode(box: SessionBox, from: string, { given, mode, next }: (typeof modeTable)[number]) {
  const { mission: id } = await box.startFrom(from, '--no-focus', '--permission-mode', given)
  const started = await sayHello(box, id)
  expect(modeArgument(started)).toBe(mode)
  expect(started).toMatchObject({ permission_mode: given, permission_mode_source: 'mission' })

  box.tmux('send-keys', '-t', box.windowOf(id)!.id, 'BTab')
  const changed = await sayHello(box, id)
  expect(changed).toMatchObject({ permission_mode: next, permission_mode_source: 'mission' })

  expect(box.agenc(['mission', 'stop', id])).toMatchObject({ exitCode: 0 })
  expect(box.mission(id)).toMatchObject({ status: 'stopped', permission_mode: next })
  box.agenc(['mission', 'resume', id, '--no-focus'], { env: box.inside(from) })
  await box.waitForState(id, 'idle')
  const resumed = await sayHello(box, id)
  expect(modeArgument(resumed)).toBe(next)
  expect(resumed).toMatchObject({ permission_mode: next, permission_mode_source: 'mission' })
  box.agenc(['mission', 'stop', id])
}
