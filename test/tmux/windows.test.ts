import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { missionLabel, windowLabels } from '../../src/mission/naming.ts'
import type { MissionId } from '../../src/mission-id.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { tmuxAt } from '../../src/tmux/tmux.ts'
import { forgetMission, openWindow } from '../../src/tmux/windows.ts'
import { wrapperCommand } from '../../src/wrapper/start-reserved.ts'
import { agencScript } from '../helpers/cli.ts'
import { isAlive } from '../helpers/processes.ts'
import { type SessionBox, sessionBox, type WindowRow } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'

function leave(box: SessionBox, window: WindowRow): void {
  box.tmux('send-keys', '-t', window.id, '-l', '/exit')
  box.tmux('send-keys', '-t', window.id, 'Enter')
}

const gone = (box: SessionBox, window: WindowRow) =>
  waitFor(`${window.name} to close`, () => box.windowOf(window.mission) === undefined)

const active = (box: SessionBox) => box.windows().find(({ isActive }) => isActive)?.mission

describe('return to the parent', () => {
  test('A → B → C returns C → B → A, whichever window the user looks at', async () => {
    const box = sessionBox()
    const a = await box.start()
    const b = await box.startFrom(a.id)
    const c = await box.startFrom(b.id)
    expect(box.windows().map(({ mission }) => mission)).toEqual([a.mission, b.mission, c.mission])
    box.tmux('select-window', '-t', a.id)
    leave(box, c)
    await gone(box, c)
    expect(active(box)).toBe(b.mission)
    leave(box, b)
    await gone(box, b)
    expect(active(box)).toBe(a.mission)
  })

  test('kill-window counts as leaving, and the store knows at once', async () => {
    const box = sessionBox()
    const a = await box.start()
    const b = await box.startFrom(a.id)
    const other = await box.startFrom(b.id, '--no-focus')
    box.tmux('select-window', '-t', other.id)
    const { wrapper_pid, claude_pid } = box.mission(b.mission)
    box.tmux('kill-window', '-t', b.id)
    await waitFor('the mission to be stopped', () => box.mission(b.mission).status === 'stopped')
    await waitFor('its processes to end', () => ![wrapper_pid!, claude_pid!].some(isAlive))
    await waitFor('the parent in front', () => active(box) === a.mission)
  })

  test('a mission that was stopped by a command or started with --no-focus moves no client', async () => {
    const box = sessionBox()
    const a = await box.start()
    const quiet = await box.startFrom(a.id, '--no-focus')
    expect(active(box)).toBe(a.mission)
    const b = await box.startFrom(a.id)
    const c = await box.startFrom(b.id)
    box.tmux('select-window', '-t', a.id)
    expect(box.agenc(['mission', 'stop', c.mission])).toMatchObject({ exitCode: 0 })
    await gone(box, c)
    expect(active(box)).toBe(a.mission)
    box.tmux('select-window', '-t', b.id)
    leave(box, quiet)
    await gone(box, quiet)
    expect(active(box)).toBe(b.mission)
  })

  test('nothing happens if the parent is gone', async () => {
    const box = sessionBox()
    const a = await box.start()
    const b = await box.startFrom(a.id)
    const c = await box.startFrom(b.id)
    box.agenc(['mission', 'stop', b.mission])
    leave(box, c)
    await gone(box, c)
    expect(active(box)).toBe(a.mission)
  })

  test.each([
    ['never', 'child'],
    ['when-focused', 'child'],
  ])('%s: a user who looks at another window stays there', async policy => {
    const box = sessionBox()
    box.agenc(['config', 'set', 'tmux.return_to_parent', policy])
    const a = await box.start()
    const b = await box.startFrom(a.id)
    const c = await box.startFrom(b.id, '--no-focus')
    box.tmux('select-window', '-t', c.id)
    leave(box, b)
    await gone(box, b)
    expect(active(box)).toBe(c.mission)
  })

  test("a window with the user's own panes stays open, and the mission is stopped", async () => {
    const box = sessionBox()
    const a = await box.start()
    const b = await box.startFrom(a.id)
    box.tmux('split-window', '-d', '-t', b.id, 'sleep 1000')
    leave(box, b)
    await waitFor('the mission to be stopped', () => box.mission(b.mission).status === 'stopped')
    await waitFor('its pane to close', () => box.windows().find(({ id }) => id === b.id)?.panes === 1)
    expect(box.windows().find(({ id }) => id === b.id)).toMatchObject({ mission: '', state: '' })
    expect(box.mission(b.mission).tmux_window).toBeNull()
  })
})

describe('the parent window', () => {
  test('from a split pane or a popup, it is the current window', async () => {
    const box = sessionBox()
    const a = await box.start()
    const b = await box.startFrom(a.id)
    box.tmux('select-window', '-t', a.id)
    const popup = { ...box.inside(a.id), TMUX_PANE: undefined }
    const made = box.agenc(['mission', 'new', '--blank'], { env: popup })
    expect(box.windows().map(({ mission }) => mission)).toEqual([a.mission, made.stdout.trim(), b.mission])
    expect(box.windowOf(made.stdout.trim())).toMatchObject({ parent: a.id, isActive: true })
    const pane = box.tmux('split-window', '-d', '-P', '-F', '#{pane_id}', '-t', b.id, 'sleep 1000').trim()
    const fromPane = box.agenc(['mission', 'new', '--blank'], {
      env: { ...box.inside(b.id), TMUX_PANE: pane },
    })
    expect(box.windowOf(fromPane.stdout.trim())).toMatchObject({ parent: b.id })
  })

  test("a mission from Claude's Bash tool opens after that Claude's window, and moves nobody", async () => {
    const box = sessionBox()
    box.agenc(['config', 'set', 'claude.permission_mode', 'acceptEdits'])
    const a = await box.start()
    const b = await box.startFrom(a.id)
    const command = `${process.execPath} ${join(import.meta.dirname, '..', '..', 'bin', 'agenc.cjs')} mission new --blank`
    box.tmux('send-keys', '-t', a.id, '-l', `[[bash ${command}]] [[text started it]]`)
    box.tmux('send-keys', '-t', a.id, 'Enter')
    await box.waitForState(a.mission, 'waiting')
    await waitFor('the permission to be taken', () => {
      if (box.mission(a.mission).state === 'waiting') box.tmux('send-keys', '-t', a.id, '1')
      return box.windows().length === 3
    })
    const [, side] = box.windows()
    expect(side).toMatchObject({ parent: '', isActive: false })
    expect(side!.mission).not.toBe(b.mission)
    expect(box.windowOf(b.mission)!.isActive).toBe(true)
  })

  test('AGENC_TMUX alone does not mean inside the session', () => {
    const box = sessionBox()
    const done = box.agenc(['mission', 'new', '--blank'], { env: { AGENC_TMUX: '1' } })
    expect(done).toMatchObject({ exitCode: 64, stdout: '' })
    expect(done.stderr).toContain('Not a terminal')
    expect(box.missions()).toEqual([])
  })
})

test.each([
  ['#{session_name}', '#{session_name}'],
  ['#(touch pwned)', '#(touch pwned)'],
  ['a; kill-server ;', 'a; kill-server ;'],
  [`"quotes' and \`ticks\` $HOME $(touch pwned)`, `"quotes' and \`ticks\` $HOME $(t…`],
  ['first\nsecond\u001b[31m', 'first second'],
  ['#[fg=red]red 100% %H', '#[fg=red]red 100% %H'],
  ['🚀🚀🚀 zwölf Boxkämpfer', '🚀🚀🚀 zwölf Boxkämpfer'],
  ['x'.repeat(300), `${'x'.repeat(30)}…`],
])('a mission named %j shows its name, and nothing in the name is run', async (name, shown) => {
  const box = sessionBox()
  const terminal = box.attach()
  await terminal.waitForText('(blank)')
  terminal.type('\r')
  const a = await waitFor('the first mission', () => box.windows().find(({ mission }) => mission))
  const made = box.agenc(['mission', 'new', '--blank', '--no-focus', '--name', name], {
    env: box.inside(a.id),
  })
  const window = box.windowOf(made.stdout.trim())!
  const title = `${made.stdout.slice(0, 8)} ${shown}`
  // tmux itself writes `$NAME` as `\\$NAME` in window names.
  expect(window.name.replace('\\$', '$')).toBe(title)
  await terminal.waitForText(missionLabel({ id: window.mission as MissionId, name, repo: null }))
  expect(existsSync(join(box.root, 'pwned'))).toBe(false)
  expect(box.agenc(['mission', 'ls']).stdout).toContain(made.stdout.slice(0, 8))
})

test('resume brings a running mission to the front, and opens a stopped one in a new window with its conversation', async () => {
  const box = sessionBox()
  const a = await box.start()
  const b = await box.startFrom(a.id, '--prompt', 'hello [[text good morning]]')
  box.tmux('select-window', '-t', a.id)
  const quietly = box.agenc(['mission', 'resume', b.mission, '--no-focus'], { env: box.inside(a.id) })
  expect(quietly).toMatchObject({ exitCode: 0 })
  expect(active(box)).toBe(a.mission)
  expect(box.agenc(['mission', 'resume', b.mission], { env: box.inside(a.id) })).toMatchObject({
    exitCode: 0,
  })
  expect(active(box)).toBe(b.mission)
  box.agenc(['mission', 'stop', b.mission])
  expect(box.agenc(['mission', 'resume', b.mission], { env: box.inside(a.id) })).toMatchObject({
    exitCode: 0,
  })
  const again = await box.waitForState(b.mission, 'idle')
  expect(again.tmux_window).toBe(box.windowOf(b.mission)!.id)
  await waitFor('the old words', () =>
    box.tmux('capture-pane', '-p', '-t', again.tmux_window!).includes('good morning'),
  )
})

describe('two processes that resume the same mission at once', () => {
  const resumeUnseen = (box: SessionBox, mission: string) => {
    const id = mission as MissionId
    const tmux = tmuxAt(systemRunner, box.env, null)
    const { window } = openWindow(tmux, {
      labels: windowLabels({ id, name: null, repo: null }),
      directory: box.root,
      command: wrapperCommand({ self: [process.execPath, agencScript] }, { id }),
      environment: {},
      self: [process.execPath, agencScript],
      parent: null,
      after: null,
      focus: false,
    })
    return { tmux, window }
  }

  test('the second one shows the reason, in a window that is not the mission’s', async () => {
    const box = sessionBox()
    const a = await box.start()
    const { window } = resumeUnseen(box, a.mission)
    await waitFor('the refusal', () =>
      box.tmux('capture-pane', '-p', '-t', window).includes('Press Enter to close'),
    )
    expect(box.tmux('capture-pane', '-p', '-t', window)).toContain('is already running')
    expect(box.windows().map(({ id, mission, state }) => ({ id, mission, state }))).toEqual([
      { id: a.id, mission: a.mission, state: 'idle' },
      { id: window, mission: '', state: '' },
    ])
    expect(box.mission(a.mission).tmux_window).toBe(a.id)
  })

  test('the one that runs keeps the window, even if the other released it', async () => {
    const box = sessionBox()
    const a = await box.start()
    const b = await box.startFrom(a.id)
    box.agenc(['mission', 'stop', b.mission])
    const { tmux, window } = resumeUnseen(box, b.mission)
    tmux.tell(...forgetMission(window))
    await box.waitForState(b.mission, 'idle')
    await waitFor('its window', () => box.windowOf(b.mission)?.id === window)
  })
})

test('a window that only shows why Claude ended is marked, and is no place where the mission runs', async () => {
  const box = sessionBox()
  const a = await box.start()
  box.agenc(['config', 'set', 'claude.command', '/bin/false'])
  const made = box.agenc(['mission', 'new', '--blank'], { env: box.inside(a.id) })
  const mission = made.stdout.trim()
  const { id } = box.windowOf(mission)!
  await waitFor('the reason', () => box.tmux('capture-pane', '-p', '-t', id).includes('q: close'))
  expect(box.windowOf(mission)).toMatchObject({ id, state: 'crashed' })
  expect(box.mission(mission).tmux_window).toBeNull()
})

test('rename also renames the window, and prints nothing if there is none', async () => {
  const box = sessionBox()
  const a = await box.start()
  expect(box.agenc(['mission', 'rename', a.mission, 'new #{name}'])).toMatchObject({
    exitCode: 0,
    stderr: '',
  })
  expect(box.windowOf(a.mission)?.name).toBe(`${a.mission.slice(0, 8)} new #{name}`)
  const title = box.tmux('display-message', '-p', '-t', a.id, '#{@agenc_name}').trim()
  expect(title).toBe('new #{name}')
  box.agenc(['mission', 'stop', a.mission])
  expect(box.agenc(['mission', 'rename', a.mission, 'newer'])).toMatchObject({ exitCode: 0, stderr: '' })
})

test('ls shows the window of every mission', async () => {
  const box = sessionBox()
  const a = await box.start()
  await box.startFrom(a.id)
  const rows = box.missions()
  expect(rows.map(({ tmux_window }) => tmux_window).sort()).toEqual(
    box
      .windows()
      .map(({ id }) => id)
      .sort(),
  )
  expect(box.agenc(['mission', 'ls']).stdout).toContain('WINDOW')
})
