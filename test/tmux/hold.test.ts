import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import type { Terminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

const isHeld = (box: SessionBox) => existsSync(join(box.env.AGENC_DIRPATH!, 'hold'))

async function pressHoldKey(terminal: Terminal): Promise<void> {
  terminal.type('\u0002a')
  await terminal.waitForText('h hold')
  terminal.type('h')
}

test('the hold key pauses approvals and resumes them, and the status line shows it', async () => {
  const box = sessionBox()
  await box.start()
  const terminal = box.attach()
  await terminal.waitForText('1 idle')
  await pressHoldKey(terminal)
  await terminal.waitForText('Automatic approvals are paused for all missions.')
  expect(isHeld(box)).toBe(true)
  await terminal.waitForText(/ HOLD +1 idle/)
  await pressHoldKey(terminal)
  await terminal.waitForText('Automatic approvals are on again')
  expect(isHeld(box)).toBe(false)
  await waitFor('HOLD to leave the screen', () => /1 idle/.test(terminal.screen()))
  expect(terminal.screen()).not.toContain('HOLD')
})

test('a hold on all missions shows in lists and in doctor, and in a session that starts later', async () => {
  const box = sessionBox()
  expect(box.agenc(['hold']).exitCode).toBe(0)
  const { mission } = await box.start()
  const terminal = box.attach()
  await terminal.waitForText(/ HOLD +1 idle/)
  const reminder =
    "Automatic approvals are paused for all missions. Resume them with 'agenc hold --release'.\n"
  for (const command of [['mission', 'ls'], ['status']]) {
    const listed = box.agenc(command)
    expect(listed.stdout).toMatch(new RegExp(`^${mission.slice(0, 8)} +idle \\(hold\\)`, 'm'))
    expect(listed.stderr).toBe(reminder)
    expect(box.agenc([...command, '--json'])).toMatchObject({ stderr: '' })
  }
  expect(box.agenc(['doctor']).stdout).toMatch(/^warning +hold +automatic approvals are paused/m)
  box.agenc(['hold', '--release'])
  await waitFor('HOLD to leave the line', () => !terminal.screen().includes('HOLD'))
  expect(box.agenc(['mission', 'ls'])).toMatchObject({
    stdout: expect.not.stringContaining('hold'),
    stderr: '',
  })
  expect(box.agenc(['doctor']).stdout).toMatch(/^ok +hold +automatic approvals are not paused/m)
})

test('a hold on one mission is marked there and counted, also after a resume', async () => {
  const box = sessionBox()
  const first = await box.start()
  const held = await box.startFrom(first.id, '--name', 'bee')
  const terminal = box.attach()
  await terminal.waitForText('2 idle')
  box.agenc(['hold', held.mission, '--toggle'])
  await terminal.waitForText(/1·bee HOLD .* HOLD 1 +2 idle/)
  expect(box.agenc(['mission', 'ls']).stdout).toMatch(/idle \(hold\) .*bee/)
  expect(box.agenc(['mission', 'ls']).stdout).toMatch(/idle {2,}\(blank\)/)
  expect(box.agenc(['doctor']).stdout).toContain(`paused for ${held.mission.slice(0, 8)}`)
  box.agenc(['mission', 'stop', held.mission])
  await terminal.waitForText(/(?<!HOLD.*)1 idle/)
  box.agenc(['mission', 'resume', held.mission], { env: box.inside(first.id) })
  await terminal.waitForText(/1·bee HOLD .* HOLD 1 +2 idle/)
  box.agenc(['hold', held.mission, '--toggle'])
  await waitFor('HOLD to leave the line', () => !terminal.screen().includes('HOLD'))
})

test('the hold key does not release a hold on one mission, but pauses the others too', async () => {
  const box = sessionBox()
  const { mission } = await box.start()
  box.agenc(['hold', mission])
  expect(box.agenc(['hold', '--toggle', '--json']).stdout).toContain('"held":true')
  expect(JSON.parse(box.agenc(['hold', '--toggle', '--json']).stdout)).toMatchObject({
    held: false,
    missions: [],
  })
  expect(box.agenc(['hold', '--toggle', '--release'])).toMatchObject({ exitCode: 64 })
})

test('a hold in another home does not show in this session', async () => {
  const box = sessionBox()
  await box.start()
  const other = join(box.root, 'second-home')
  expect(box.agenc(['hold'], { env: { AGENC_DIRPATH: other } }).exitCode).toBe(0)
  expect(existsSync(join(other, 'hold'))).toBe(true)
  expect(box.tmux('show-options', '-v', '-t', '=agenc:', '@agenc_hold_all').trim()).toBe('')
})
