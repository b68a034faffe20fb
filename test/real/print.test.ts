import { expect, test } from 'vitest'
import type { ConversationEntry } from '../../src/claude/conversation-entry.ts'
import { realWrapperBox } from '../helpers/real-session.ts'
import type { Terminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

const up = '\u001b[A'
const clearLine = '\u0015'

/** Pastes a prompt and presses Enter. After fast typing, Claude would take Enter as a newline. */
async function say(terminal: Terminal, text: string): Promise<void> {
  terminal.type(`\u001b[200~${text}\u001b[201~`)
  await terminal.waitForText(text.slice(0, 20))
  terminal.type('\r')
}

const effectMs = 4_000

/** Presses a key again only if it had no effect for a while: a dialog ignores keys for a moment after it opens. */
async function press(terminal: Terminal, key: string, hasWorked: () => boolean): Promise<void> {
  await waitFor(`${JSON.stringify(key)} to work`, async () => {
    if (hasWorked()) return true
    terminal.type(key)
    return waitFor('the effect of the key', hasWorked, effectMs).catch(() => {
      throw new Error(terminal.screen())
    })
  })
}

test('the order of a real conversation: tools at once, a rewind, a queued message and a compaction', {
  timeout: 120_000,
}, async context => {
  const real = await realWrapperBox()
  if ('missing' in real) return context.skip(real.missing)
  const { box } = real
  const { id, terminal } = await box.mission('--permission-mode', 'acceptEdits', '--approve', 'all')
  const entries = (): ConversationEntry[] => {
    const { stdout } = box.agenc(['mission', 'print', id, '--json'])
    return stdout
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line))
  }
  const words = () =>
    entries().map(({ by, kind, tool, text }) => [by, kind, tool ?? text.split(' [[')[0]].join(' '))
  const untilSaid = (text: string) =>
    waitFor(`${text} in the conversation`, () => {
      if (words().some(line => line.includes(text))) return true
      throw new Error(`${words().join('\n')}\n${terminal.screen()}`)
    })

  await say(terminal, 'First. [[text One.]]+[[bash echo a]]+[[bash ls /nonexistent]] [[text Two.]]')
  await untilSaid('Two.')
  await box.ready(id)
  await say(terminal, 'Wrong way. [[text Dead end.]]')
  await untilSaid('Dead end.')
  await box.ready(id)

  const shows = (text: string) => () => terminal.screen().includes(text)
  await say(terminal, '/rewind')
  await terminal.waitForText('❯ (current)')
  await press(terminal, up, () => !shows('❯ (current)')())
  await press(terminal, '\r', shows('Restore conversation'))
  await press(terminal, '\r', () => !shows('Restore conversation')())
  await press(terminal, clearLine, () => !/❯\u00a0Wrong way/.test(terminal.screen()))
  await say(terminal, 'Second. [[bash for i in 1 2 3; do sleep 1; done]] [[text Three.]]')
  await box.until(id, 'busy')
  await terminal.waitForText('esc to interrupt')
  await say(terminal, 'By the way.')
  await untilSaid('user message By the way.')
  await box.until(id, 'idle')
  await box.ready(id)
  await say(terminal, '/compact')
  await untilSaid('system compaction')
  await box.ready(id)
  await say(terminal, 'Last. [[text Five.]]')
  await untilSaid('Five.')

  const all = words()
  expect(all.slice(0, 8)).toEqual([
    'user message First.',
    'claude message One.',
    'claude tool Bash',
    'claude tool Bash',
    'claude tool_error Bash',
    'claude message Two.',
    'user message Second.',
    'claude tool Bash',
  ])
  expect(all[8]).toBe('user message By the way.')
  expect(all.join('\n')).not.toContain('Dead end')
  expect(all.findIndex(line => line.startsWith('system compaction'))).toBeGreaterThan(8)
  expect(all.slice(-2)).toEqual(['user message Last.', 'claude message Five.'])
  expect(box.agenc(['mission', 'print', id, '--last']).stdout).toBe('Five.\n')
})
