import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

async function attended(box: SessionBox) {
  box.agenc(['config', 'set', 'claude.permission_mode', 'default'])
  const a = await box.start()
  const b = await box.startFrom(a.id, '--name', 'bee')
  box.tmux('select-window', '-t', a.id)
  const terminal = box.attach()
  await terminal.waitForText('2 idle')
  return { a, b, terminal }
}

function say(box: SessionBox, window: string, text: string): void {
  box.tmux('send-keys', '-t', window, '-l', text)
  box.tmux('send-keys', '-t', window, 'Enter')
}

test('a waiting mission in another window is announced once, and marked and counted until it is answered', async () => {
  const box = sessionBox()
  const log = join(box.root, 'notified')
  const notifier = join(box.root, 'notifier')
  writeFileSync(
    notifier,
    `#!/bin/sh\necho "$AGENC_MISSION_UUID $AGENC_MISSION_STATE $AGENC_MISSION_WAITING_FOR $1" >>'${log}'\n`,
  )
  chmodSync(notifier, 0o755)
  box.agenc(['config', 'set', 'notify.command', notifier, '$(touch pwned)'])
  box.agenc(['config', 'set', 'notify.bell', 'true'])
  const { b, terminal } = await attended(box)
  say(box, b.id, '[[bash touch x]] [[text it is done]]')
  await box.waitForState(b.mission, 'waiting')
  await terminal.waitForText('bee asks: Bash touch x')
  await terminal.waitForText('1 waiting')
  await terminal.waitForText('?bee')
  expect(terminal.raw()).toContain('\u0007')
  expect(readFileSync(log, 'utf8')).toBe(`${b.mission} waiting permission $(touch pwned)\n`)
  expect(existsSync(join(box.root, 'pwned'))).toBe(false)

  box.tmux('select-window', '-t', b.id)
  box.tmux('last-window', '-t', '=agenc')
  expect(box.windowOf(b.mission)!.state).toBe('waiting')

  await waitFor('the answer to be taken', () => {
    if (box.mission(b.mission).state === 'waiting') box.tmux('send-keys', '-t', b.id, '1')
    return box.mission(b.mission).state === 'idle'
  })
  await terminal.waitForText('bee is done')
  await terminal.waitForText('1 done 1 idle')
  await terminal.waitForText('✓bee')
  box.tmux('select-window', '-t', b.id)
  await terminal.waitForText('·bee')
  await waitFor('two notices', () => readFileSync(log, 'utf8').trimEnd().split('\n').length === 2)
})

test('a mission that finished while nobody was there is seen by whoever attaches to it', async () => {
  const box = sessionBox()
  const { id, mission } = await box.start()
  say(box, id, '[[text it is done]]')
  await waitFor('the mark', () => box.tmux('show-options', '-wqv', '-t', id, '@agenc_done') !== '')
  await box.waitForState(mission, 'idle')
  const terminal = box.attach()
  await terminal.waitForText('1 idle')
  expect(box.tmux('show-options', '-wqv', '-t', id, '@agenc_done')).toBe('')
})

test('every client of the session gets the message once, and no other client does', async () => {
  const box = sessionBox()
  const { b } = await attended(box)
  const second = box.attach()
  await second.waitForText('2 idle')
  box.tmux('new-session', '-d', '-s', 'other', 'sleep 1000')
  const other = openTerminal('tmux', ['attach-session', '-t', '=other'], { env: box.env })
  await other.waitForText('[other]')
  const clients = box.tmux('list-clients', '-t', '=agenc:', '-F', '#{client_name}').trimEnd().split('\n')
  expect(clients).toHaveLength(2)
  say(box, b.id, '[[bash touch x]]')
  await box.waitForState(b.mission, 'waiting')
  await second.waitForText('bee asks')
  const expected = takesClient(box) ? clients : clients.slice(-1)
  await waitFor('the messages', () => clientsTold(box).length === expected.length)
  expect(clientsTold(box)).toEqual(expected.toSorted())
})

test('the bell rings in terminals, not in a control-mode client', async () => {
  const box = sessionBox()
  const afterwards = join(box.root, 'afterwards')
  box.agenc(['config', 'set', 'notify.bell', 'true'])
  box.agenc(['config', 'set', 'notify.command', 'touch', afterwards])
  const { b, terminal } = await attended(box)
  const program = openTerminal('tmux', ['-C', 'attach-session', '-t', '=agenc'], { env: box.env })
  await waitFor(
    'both clients',
    () => box.tmux('list-clients', '-t', '=agenc:').trim().split('\n').length === 2,
  )
  say(box, b.id, '[[bash touch x]]')
  await waitFor('the end of the notices', () => existsSync(afterwards))
  await waitFor('the bell', () => terminal.raw().includes('\u0007'))
  expect(program.raw()).not.toContain('\u0007')
})

/** tmux 3.2 cannot address a client by name; there, the most recently used client gets the message. */
function takesClient(box: SessionBox): boolean {
  return !box.tmux('-V').startsWith('tmux 3.2')
}

/** Reads the names of the clients from tmux's own log. */
function clientsTold(box: SessionBox): string[] {
  return [...box.tmux('show-messages').matchAll(/(\S+) message: bee asks/g)]
    .map(([, client]) => client!)
    .sort()
}

test('a user who is looking at the mission gets no message', async () => {
  const box = sessionBox()
  const { a, terminal } = await attended(box)
  say(box, a.id, '[[bash touch x]]')
  await box.waitForState(a.mission, 'waiting')
  await terminal.waitForText('1 waiting')
  expect(terminal.raw()).not.toContain('asks')
})

test('styles and counts apply to the agenc session only', async () => {
  const box = sessionBox({ tmuxConf: 'set -g status-right "mine"\nset -g window-status-format "W"\n' })
  const { a } = await attended(box)
  box.tmux('new-session', '-d', '-s', 'other', 'sleep 1000')
  expect(box.tmux('show-options', '-t', '=other:', 'status-right')).toBe('')
  expect(box.tmux('show-options', '-g', 'status-right')).toBe('status-right mine\n')
  expect(box.tmux('show-options', '-w', '-t', '=other:', 'window-status-format')).toBe('')
  expect(box.tmux('show-options', '-w', '-t', a.id, 'window-status-format')).toContain('agenc_state')
})
