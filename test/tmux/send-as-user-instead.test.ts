import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sessionBox } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'

interface Sent {
  outcome: string
  kept: boolean
  reason: string
  answer: string | null
}

test('a mission that asks for no permissions gets the message as the word of its user, once it is idle', async () => {
  const box = sessionBox()
  box.env.IS_SANDBOX = '1'
  writeFileSync(join(box.home, '.claude', 'settings.json'), '{"skipDangerousModePermissionPrompt":true}')
  box.agenc(['config', 'set', 'claude.permission_mode', 'bypassPermissions'])
  const { mission, id: window } = await box.start()
  const tell = (...args: string[]): Sent =>
    JSON.parse(box.agenc(['mission', 'send', mission, '--as', 'agent', '--json', ...args]).stdout)
  const reason = expect.stringContaining('it asks for no permissions')
  expect(tell('--wait', 'Now. [[text At once.]]')).toMatchObject({
    outcome: 'taken',
    reason,
    answer: 'At once.',
  })
  expect(tell('Go. [[text Some words.]]+[[hang]]')).toMatchObject({ outcome: 'taken', reason })
  await box.waitForState(mission, 'busy')
  expect(tell('Then this. [[text Then.]]')).toMatchObject({ outcome: 'queued', kept: true, reason })
  const refused = tell('exit')
  expect(refused).toMatchObject({ outcome: 'not_taken', reason: expect.stringContaining('would end Claude') })
  expect(box.mission(mission).queued).toHaveLength(1)
  box.agenc(['mission', 'interrupt', mission])
  await waitFor('the message to be taken', () => box.mission(mission).queued.length === 0)
  const screen = box.tmux('capture-pane', '-p', '-t', window)
  expect(screen).toContain('Then this.')
  expect(screen).not.toContain('Held message')
})
