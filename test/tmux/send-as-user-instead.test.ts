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

/** A mission that takes no messages of other agents. */
async function started(why: 'bypass' | 'older') {
  const box = sessionBox()
  box.env.IS_SANDBOX = '1'
  writeFileSync(join(box.home, '.claude', 'settings.json'), '{"skipDangerousModePermissionPrompt":true}')
  // The path of its socket would be too long, so Claude goes on without one.
  if (why === 'older') box.env.XDG_RUNTIME_DIR = join(box.root, 'long'.repeat(30))
  const mode = why === 'bypass' ? 'bypassPermissions' : 'default'
  box.agenc(['config', 'set', 'claude.permission_mode', mode])
  const { mission, id: window } = await box.start()
  const tell = (...args: string[]): Sent =>
    JSON.parse(box.agenc(['mission', 'send', mission, '--as', 'agent', '--json', ...args]).stdout)
  return { box, mission, window, tell }
}

test('a mission that asks for no permissions gets the message as the word of its user, once it is idle', async () => {
  const { box, mission, tell, window } = await started('bypass')
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

test('a Claude without the socket gets the message as the word of its user', async () => {
  const { tell } = await started('older')
  expect(tell('--wait', 'Now. [[text At once.]]')).toMatchObject({
    outcome: 'taken',
    reason: expect.stringContaining('takes no messages of other agents'),
    answer: 'At once.',
  })
})
