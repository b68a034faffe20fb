import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tryKill } from '../helpers/processes.ts'
import { type SessionBox, sessionBox, type WindowRow } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'

const choice = 'Enter: resume, q: close'

async function twoMissions(box: SessionBox) {
  const a = await box.start()
  const b = await box.startFrom(a.id, '--no-focus', '--prompt', 'hello [[text good morning]]')
  await waitFor('an answer', () => box.tmux('capture-pane', '-p', '-t', b.id).includes('good morning'))
  await box.waitForState(b.mission, 'idle')
  return { a, b }
}

function screen(box: SessionBox, window: string): string {
  return box.tmux('capture-pane', '-p', '-t', window)
}

async function untilExplained(box: SessionBox, { id }: WindowRow): Promise<void> {
  await waitFor('the reason', () => {
    const text = screen(box, id)
    if (text.includes(choice)) return true
    const pane = box.tmux(
      'list-panes',
      '-t',
      id,
      '-F',
      '#{pane_dead} #{pane_dead_status} #{pane_current_command}',
    )
    throw new Error(`${pane}${text}`)
  })
  await waitFor('its mark', () => box.windows().find(window => window.id === id)?.state === 'crashed')
}

const kills: [string, (box: SessionBox, mission: string) => void, string][] = [
  [
    'kill -9 of Claude',
    (box, mission) => void process.kill(box.mission(mission).claude_pid!, 'SIGKILL'),
    'Claude was killed (SIGKILL).',
  ],
  [
    'kill -9 of the wrapper',
    (box, mission) => void process.kill(box.mission(mission).wrapper_pid!, 'SIGKILL'),
    'This mission was killed.',
  ],
  [
    'kill -9 of both',
    (box, mission) => {
      const { wrapper_pid, claude_pid } = box.mission(mission)
      // The wrapper first: it would act on the end of its Claude.
      for (const pid of [wrapper_pid!, claude_pid!]) tryKill(pid, 'SIGKILL')
    },
    'This mission was killed.',
  ],
]

describe.each(kills)('%s', (_title, strike, reason) => {
  test('leaves the window in place with the reason, and Enter resumes there, again and again', async () => {
    const box = sessionBox()
    const { b } = await twoMissions(box)
    for (let time = 0; time < 2; time++) {
      strike(box, b.mission)
      await untilExplained(box, b)
      expect(screen(box, b.id)).toContain(reason)
      expect(box.mission(b.mission)).toMatchObject({ status: 'crashed', tmux_window: null })
      box.tmux('send-keys', '-t', b.id, 'Enter')
      await box.waitForState(b.mission, 'idle')
      expect(box.mission(b.mission).tmux_window).toBe(b.id)
      await waitFor('its words', () => screen(box, b.id).includes('good morning'))
      await waitFor('its state', () => box.windowOf(b.mission)?.state === 'idle')
    }
    expect(box.windows()).toHaveLength(2)
  })

  test('q closes the window, and the mission can be restored', async () => {
    const box = sessionBox()
    const { a, b } = await twoMissions(box)
    strike(box, b.mission)
    await untilExplained(box, b)
    box.tmux('send-keys', '-t', b.id, 'q')
    await waitFor('the window to close', () => box.windows().length === 1)
    expect(box.windows()[0]).toMatchObject({ id: a.id, state: 'idle' })
    expect(box.mission(b.mission).status).toBe('crashed')
    expect(box.agenc(['tmux', 'restore']).exitCode).toBe(0)
    expect(box.mission(b.mission).status).toBe('running')
  })

  test('runs notify.command and tells the clients', async () => {
    const box = sessionBox()
    const told = join(box.root, 'told')
    const script = `echo "$AGENC_MISSION_UUID $AGENC_MISSION_STATE" >>'${told}'`
    box.agenc(['config', 'set', 'notify.command', JSON.stringify(['/bin/sh', '-c', script])])
    const { a, b } = await twoMissions(box)
    box.tmux('select-window', '-t', a.id)
    const terminal = box.attach()
    await waitFor('the client', () => box.tmux('list-clients').includes('agenc'))
    strike(box, b.mission)
    await terminal.waitForText('has crashed')
    const line = `${b.mission} crashed\n`
    await waitFor('the command', () => existsSync(told) && readFileSync(told, 'utf8').includes(line))
  })
})

test('the guard of a killed wrapper reminds tmux, which may have missed its end', async () => {
  const box = sessionBox()
  const { b } = await twoMissions(box)
  box.attach()
  await waitFor('the client', () => box.tmux('list-clients').includes('agenc'))
  const reminders = () => box.tmux('show-messages').split('run-shell -b :').length
  const before = reminders()
  process.kill(box.mission(b.mission).wrapper_pid!, 'SIGKILL')
  await waitFor('the reminder', () => reminders() > before)
})

test('resume and restore use the window that shows why the mission ended', async () => {
  const box = sessionBox()
  const { a, b } = await twoMissions(box)
  const c = await box.startFrom(b.id, '--no-focus')
  for (const command of [
    ['tmux', 'restore'],
    ['mission', 'resume', b.mission, '--no-focus'],
  ]) {
    process.kill(box.mission(b.mission).wrapper_pid!, 'SIGKILL')
    await untilExplained(box, b)
    expect(box.agenc(command, { env: box.inside(a.id) })).toMatchObject({ exitCode: 0 })
    await box.waitForState(b.mission, 'idle')
    expect(box.windows().map(({ id, mission }) => [id, mission])).toEqual(
      [a, b, c].map(({ id, mission }) => [id, mission]),
    )
    await waitFor('its state', () => box.windowOf(b.mission)?.state === 'idle')
  }
})

test.each([['stop'], ['archive'], ['rm', '--yes', '--force']])(
  '%s closes the window that shows why the mission ended',
  async (verb, ...flags) => {
    const box = sessionBox()
    const { a, b } = await twoMissions(box)
    process.kill(box.mission(b.mission).claude_pid!, 'SIGKILL')
    await untilExplained(box, b)
    expect(box.agenc(['mission', verb!, b.mission, ...flags])).toMatchObject({ exitCode: 0 })
    await waitFor('the window to close', () => box.windows().every(({ id }) => id === a.id))
  },
)

test('a mission that cannot start says why, and Enter tries again', async () => {
  const box = sessionBox()
  const a = await box.start()
  box.agenc(['config', 'set', 'claude.command', '/nowhere/claude'])
  const made = box.agenc(['mission', 'new', '--blank', '--no-focus'], { env: box.inside(a.id) })
  const window = box.windowOf(made.stdout.trim())!
  await untilExplained(box, window)
  expect(screen(box, window.id)).toContain('/nowhere/claude')
  expect(box.agenc(['config', 'unset', 'claude.command']).exitCode).toBe(0)
  box.tmux('send-keys', '-t', window.id, 'Enter')
  await box.waitForState(window.mission, 'idle')
  expect(box.mission(window.mission).tmux_window).toBe(window.id)
})

test.each([['SIGTERM'], ['SIGINT'], ['SIGHUP']] as const)(
  'a wrapper that is told to end by %s closes its window',
  async signal => {
    const box = sessionBox()
    const { a, b } = await twoMissions(box)
    process.kill(box.mission(b.mission).wrapper_pid!, signal)
    await waitFor('the window to close', () => box.windows().length === 1)
    expect(box.windows()[0]!.id).toBe(a.id)
    expect(box.mission(b.mission).status).toBe('stopped')
  },
)

test('attach does not offer to restore a mission whose window says why it ended', async () => {
  const box = sessionBox()
  const { b } = await twoMissions(box)
  process.kill(box.mission(b.mission).claude_pid!, 'SIGKILL')
  await untilExplained(box, b)
  const terminal = box.attach()
  await terminal.waitForText('1 crashed')
  expect(terminal.raw()).not.toContain('agenc tmux restore')
})
