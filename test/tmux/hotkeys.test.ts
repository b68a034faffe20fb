import { describe, expect, test } from 'vitest'
import { pressAgencKey } from '../helpers/agenc-key.ts'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'

const active = (box: SessionBox) => box.windows().find(({ isActive }) => isActive)

async function attended(tmuxConf = '') {
  const box = sessionBox({ tmuxConf })
  box.agenc(['config', 'set', 'claude.permission_mode', 'default'])
  const repo = box.addRepo('alpha')
  const terminal = box.attach()
  await terminal.waitForText(repo)
  terminal.type('\r')
  const first = await waitFor('the first mission', () => box.windows().find(({ mission }) => mission))
  await box.waitForState(first.mission, 'idle')
  return { box, repo, terminal, first }
}

test('key → popup → pick → window → work → exit → back in the first window', async () => {
  const { box, repo, terminal, first } = await attended()
  await pressAgencKey(box, terminal, 'n')
  await terminal.waitForText('> ')
  await terminal.waitForText(repo)
  terminal.type('\r')
  const side = await waitFor('a second window', () => box.windows()[1])
  await box.waitForState(side.mission, 'idle')
  expect(side).toMatchObject({ parent: first.id })
  expect(active(box)?.mission).toBe(side.mission)
  terminal.type('hello [[text good morning]]')
  terminal.type('\r')
  await terminal.waitForText('good morning')
  await box.waitForState(side.mission, 'idle')
  terminal.type('/exit')
  terminal.type('\r')
  await waitFor('to be back', () => box.windows().length === 1)
  expect(active(box)?.mission).toBe(first.mission)
})

describe('the other keys', () => {
  test('a cancelled picker closes its popup at once, but an error stays readable', async () => {
    const { box, terminal } = await attended()
    await pressAgencKey(box, terminal, 'n')
    await terminal.waitForText('(blank)')
    terminal.type('\u001b')
    await waitFor('the popup to close', () => !terminal.screen().includes('(blank)'))
    expect(box.windows()).toHaveLength(1)
    const { writeFileSync } = await import('node:fs')
    writeFileSync(`${box.agencHome}/config.json`, '{ broken')
    await pressAgencKey(box, terminal, 'n')
    await terminal.waitForText('(blank)')
    terminal.type('\r')
    await terminal.waitForText('config.json:1')
    terminal.type('\r')
    await waitFor('the popup to close', () => !terminal.screen().includes('config.json:1'))
    writeFileSync(`${box.agencHome}/config.json`, '{}')
  })

  test('s switches, f forks, x stops after a question, a goes to the waiting mission, d detaches', async () => {
    const { box, terminal, first } = await attended()
    await pressAgencKey(box, terminal, 'f')
    const fork = await waitFor('the fork', () =>
      box.windows().find(({ mission }) => mission && mission !== first.mission),
    )
    await box.waitForState(fork.mission, 'idle')
    expect(box.mission(fork.mission).parent_id).toBe(first.mission)

    await pressAgencKey(box, terminal, 's')
    await terminal.waitForText('enter: go there')
    terminal.type(first.mission.slice(0, 8))
    await terminal.waitForText(' 1/2 ')
    terminal.type('\r')
    await waitFor('the first in front', () => active(box)?.mission === first.mission)

    box.tmux('send-keys', '-t', fork.id, '-l', '[[bash touch x]]')
    box.tmux('send-keys', '-t', fork.id, 'Enter')
    await box.waitForState(fork.mission, 'waiting')
    await pressAgencKey(box, terminal, 'a')
    await waitFor('the waiting one in front', () => active(box)?.mission === fork.mission)

    await pressAgencKey(box, terminal, 'x')
    await terminal.waitForText('(y/n)')
    terminal.type('y')
    await waitFor('the fork to be stopped', () => box.mission(fork.mission).status === 'stopped')
    await waitFor('its window to close', () => box.windows().length === 1)

    await pressAgencKey(box, terminal, 'r')
    await terminal.waitForText(' 2/2 ')
    terminal.type(fork.mission.slice(0, 8))
    await terminal.waitForText(' 1/2 ')
    terminal.type('\r')
    await waitFor('the fork back', () => box.windowOf(fork.mission))
    await waitFor('the popup to close', () => !/[┌┘]/.test(terminal.screen()))

    await pressAgencKey(box, terminal, '?')
    await terminal.waitForText(/switch/i)
    terminal.type('q')
    await waitFor('the menu to close', () => !/[┌┘]/.test(terminal.screen()))
    await pressAgencKey(box, terminal, 'd')
    expect(await terminal.exited).toBe(0)
  })
})

test("the user's own `prefix a` still works in other sessions, and everywhere after kill", async () => {
  const { box } = await attended('bind-key -N "mine" a display-message "my own key"\n')
  const ours = box.tmux('list-keys', '-T', 'prefix', 'a')
  expect(ours).toContain('agenc')
  expect(box.agenc(['tmux', 'inject-config']).exitCode).toBe(0)
  expect(box.tmux('list-keys', '-T', 'prefix', 'a')).toBe(ours)
  box.tmux('new-session', '-d', '-s', 'other', 'sleep 1000')
  box.agenc(['tmux', 'kill'])
  expect(box.tmux('list-keys', '-T', 'prefix', 'a')).toMatch(
    /^bind-key +-T prefix a display-message "my own key"\n$/,
  )
  expect(box.tmux('list-keys', '-N', '-T', 'prefix')).toMatch(/a\s+mine/)
})

test('the error for an impossible key in the settings names the key', async () => {
  const { box } = await attended()
  box.agenc(['config', 'set', 'tmux.keys.new', 'C-m'])
  const done = box.agenc(['tmux', 'inject-config'])
  expect(done.exitCode).toBe(78)
  expect(done.stderr).toContain('tmux.keys.new')
})
