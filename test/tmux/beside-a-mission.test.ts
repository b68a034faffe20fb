import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { editors } from '../../src/editor/known-editors.ts'
import { agencScript } from '../helpers/cli.ts'
import { pathWithout } from '../helpers/path-without.ts'
import { type SessionBox, sessionBox, type WindowRow } from '../helpers/session.ts'
import { openTerminal, type Terminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

async function attached(box: SessionBox, { mission }: WindowRow): Promise<Terminal> {
  const terminal = box.attach()
  await terminal.waitForText(mission.slice(0, 8))
  return terminal
}

async function press(box: SessionBox, terminal: Terminal, ...keys: string[]): Promise<void> {
  const table = () => box.tmux('list-clients', '-F', '#{client_key_table}').trim()
  terminal.type('\u0002')
  await waitFor('the prefix', () => table() === 'prefix')
  for (const key of keys) {
    terminal.type(key)
    if (key === 'a') await waitFor('the key table', () => table() === 'agenc')
  }
}

interface Pane {
  pane: string
  window: string
}

const panes = (box: SessionBox): Pane[] =>
  box
    .tmux('list-panes', '-s', '-t', '=agenc:', '-F', '#{pane_id} #{window_id}')
    .trim()
    .split('\n')
    .map(line => line.split(' '))
    .map(([pane, window]) => ({ pane: pane!, window: window! }))

/** The pane that the keys have opened. */
function opened(box: SessionBox, before: readonly Pane[]): Promise<Pane> {
  return waitFor('the new pane', () => panes(box).find(({ pane }) => !before.some(old => old.pane === pane)))
}

let runs = 0

/** Runs a command in a pane's shell. Returns its output. */
async function runIn(box: SessionBox, pane: string, command: string): Promise<string> {
  const file = join(box.root, `output-${runs++}`)
  box.tmux('send-keys', '-t', pane, '-l', `${command} >'${file}' 2>&1; echo done >>'${file}'`)
  box.tmux('send-keys', '-t', pane, 'Enter')
  await waitFor('the output', () => readFileSync(file, 'utf8').endsWith('done\n'))
  return readFileSync(file, 'utf8').replace(/done\n$/, '')
}

const agenc = `'${process.execPath}' '${agencScript}'`

describe.each([
  ['prefix %', ['%'], {}],
  ['prefix "', ['"'], {}],
  ['prefix c', ['c'], {}],
  ['prefix a c', ['a', 'c'], {}],
  [
    'prefix c, with a default command of the user',
    ['c'],
    { tmuxConf: "set -g default-command '/bin/sh -i'" },
  ],
])('%s', (_title, keys, options) => {
  test("starts in the mission's directory, and '.' is the mission there", async () => {
    const box = sessionBox(options)
    const a = await box.start()
    await box.startFrom(a.id, '--no-focus')
    const terminal = await attached(box, a)
    const before = panes(box)
    await press(box, terminal, ...keys)
    const { pane } = await opened(box, before)
    expect(await runIn(box, pane, 'pwd')).toBe(`${box.mission(a.mission).dir}\n`)
    const shown = JSON.parse(await runIn(box, pane, `${agenc} mission show . --json`))
    expect(shown.id).toBe(a.mission)
    // The user is no agent, and no mission of their own.
    expect(await runIn(box, pane, 'echo "[$AGENC_MISSION_UUID]"')).toBe('[]\n')
  })
})

test('prefix a c opens the window right after the mission’s', async () => {
  const box = sessionBox()
  const a = await box.start()
  const b = await box.startFrom(a.id, '--no-focus')
  const terminal = await attached(box, a)
  await press(box, terminal, 'a', 'c')
  await waitFor('the window', () => box.windows().length === 3)
  expect(box.windows().map(({ mission }) => mission)).toEqual([a.mission, '', b.mission])
})

test('a shell beside a mission in a directory of the user starts there, with the ports of the mission', async () => {
  const box = sessionBox()
  const a = await box.start()
  box.addRepo('my app')
  const dir = join(box.root, 'sources', 'my app')
  const made = box.agenc(['mission', 'new', '--dir', dir], { env: box.inside(a.id) })
  const id = made.stdout.trim()
  const { ports, tmux_window } = await box.waitForState(id, 'idle')
  expect(box.tmux('display-message', '-p', '-t', tmux_window!, '#{pane_current_path}')).toBe(`${dir}\n`)
  const terminal = box.attach()
  await terminal.waitForText(/my.app/)
  const before = panes(box)
  await press(box, terminal, 'a', 'c')
  const { pane } = await opened(box, before)
  expect(await runIn(box, pane, 'pwd')).toBe(`${dir}\n`)
  expect(ports).toHaveLength(10)
  expect(await runIn(box, pane, 'echo $AGENC_PORT $AGENC_PORT_0 $AGENC_PORT_9')).toBe(
    `${ports[0]} ${ports[0]} ${ports[9]}\n`,
  )
})

test('a directory that the user asks for is kept, and a window that is not beside a mission has none', async () => {
  const box = sessionBox()
  const a = await box.start()
  const before = panes(box)
  box.tmux('split-window', '-t', a.id, '-c', box.root)
  const asked = await opened(box, before)
  expect(await runIn(box, asked.pane, 'pwd')).toBe(`${box.root}\n`)
  box.tmux('new-window', '-t', '=agenc:', 'cat')
  box.tmux('new-window', '-t', '=agenc:')
  const last = panes(box).at(-1)!
  expect(await runIn(box, last.pane, `${agenc} mission show .`)).toContain('"." works only inside a mission')
})

function install(box: SessionBox, name: string): string {
  const program = join(box.root, 'bin', name)
  writeFileSync(program, `#!/bin/sh\necho "editing $* in $PWD"\nread -r word\n`)
  chmodSync(program, 0o755)
  return program
}

describe('prefix a e with an editor for terminals', () => {
  test.each([
    [
      'editor.command',
      'vi',
      (box: SessionBox) => box.agenc(['config', 'set', 'editor.command', '["vi", "{dir}"]']),
    ],
    [
      '$VISUAL',
      'nano',
      (box: SessionBox) => void Object.assign(box.env, { VISUAL: 'nano -w', EDITOR: 'vi' }),
    ],
    ['$EDITOR', 'my-editor', (box: SessionBox) => void Object.assign(box.env, { EDITOR: 'my-editor' })],
  ])('%s: opens a window at the directory', async (_title, name, configure) => {
    const box = sessionBox()
    for (const program of ['vi', 'nano', 'my-editor']) install(box, program)
    configure(box)
    const a = await box.start()
    await box.startFrom(a.id, '--no-focus')
    const terminal = await attached(box, a)
    await press(box, terminal, 'a', 'e')
    await terminal.waitForText('editing')
    const { dir } = box.mission(a.mission)
    expect(terminal.screen().replaceAll('\n', '')).toContain(`${dir} in ${dir}`)
    expect(box.windows()[1]).toMatchObject({ isActive: true, mission: '' })
    expect(box.windows()[1]!.name).toContain(name)
    terminal.type('\r')
    await waitFor('the window to close', () => box.windows().length === 2)
  })

  test('outside the session, it runs in the terminal', async () => {
    const box = sessionBox()
    install(box, 'vi')
    const a = await box.start()
    const terminal = openTerminal(process.execPath, [agencScript, 'mission', 'open', a.mission], {
      env: { ...box.env, EDITOR: 'vi' },
    })
    await terminal.waitForText('editing')
    terminal.type('\r')
    expect(await terminal.exited).toBe(0)
    const refused = box.agenc(['mission', 'open', a.mission], { env: { EDITOR: 'vi' } })
    expect(refused).toMatchObject({ exitCode: 64, stderr: expect.stringContaining('vi needs a terminal') })
  })

  test('without any editor, one clear line', async () => {
    const box = sessionBox()
    const known = editors.flatMap(({ programs }) => programs)
    const { PATH } = box.env
    Object.assign(box.env, { PATH: pathWithout(box.env.PATH!, known), VISUAL: '', EDITOR: '' })
    onTestFinished(() => void Object.assign(box.env, { PATH }))
    const a = await box.start()
    const terminal = await attached(box, a)
    await press(box, terminal, 'a', 'e')
    await terminal.waitForText(/agenc: No editor found. Set editor.command or \$EDITOR.\s*$/m)
  })
})
