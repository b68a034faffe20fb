import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isAlive } from '../helpers/processes.ts'
import { sessionBox } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'

const shells = ['/usr/bin/zsh', '/usr/bin/fish']

const configs: [title: string, conf: string, prefix: string, needs?: string][] = [
  ['another prefix', 'set -g prefix C-a\nunbind C-b', '\u0001'],
  ['base-index 1', 'set -g base-index 1\nset -g pane-base-index 1\nset -g renumber-windows on', '\u0002'],
  ['mouse on', 'set -g mouse on', '\u0002'],
  ['remain-on-exit on', 'set -g remain-on-exit on', '\u0002'],
  ['detach-on-destroy off', 'set -g detach-on-destroy off', '\u0002'],
  [
    'a hook that renames windows',
    'set-hook -g after-new-window "rename-window mine"\nset-hook -g after-new-session "rename-window mine"',
    '\u0002',
  ],
  ['destroy-unattached on', 'set -g destroy-unattached on', '\u0002'],
  ['automatic-rename and status off', 'set -g automatic-rename on\nset -g status off', '\u0002'],
  ...shells.map((shell): (typeof configs)[number] => [
    `default-shell ${shell}`,
    `set -g default-shell ${shell}`,
    '\u0002',
    shell,
  ]),
]

test.for(configs)('a whole session works with %s', async ([, tmuxConf, prefix, needs], context) => {
  if (needs && !existsSync(needs)) context.skip(`not installed: ${needs}`)
  const box = sessionBox({ tmuxConf })
  const terminal = box.attach()
  await terminal.waitForText('(blank)')
  terminal.type('\r')
  const first = await waitFor('the first mission', () => box.windows().find(({ mission }) => mission))
  await box.waitForState(first.mission, 'idle')
  const side = await box.startFrom(first.id)
  expect(box.windows()).toMatchObject([
    { mission: first.mission, name: `${first.mission.slice(0, 8)} (blank)` },
    { mission: side.mission, name: `${side.mission.slice(0, 8)} (blank)` },
  ])
  terminal.type('hello [[text good morning]]')
  terminal.type('\r')
  await terminal.waitForText('good morning')
  await box.waitForState(side.mission, 'idle')
  terminal.type('/exit')
  terminal.type('\r')
  await waitFor('the side window to close', () => box.windows().length === 1)
  expect(box.windows()[0]).toMatchObject({ mission: first.mission, isActive: true })
  terminal.type(`${prefix}d`)
  expect(await terminal.exited).toBe(0)
  const { wrapper_pid } = box.mission(first.mission)
  expect(box.agenc(['tmux', 'kill']).exitCode).toBe(0)
  expect(isAlive(wrapper_pid!)).toBe(false)
})
