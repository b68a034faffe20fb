import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pathsAt } from '../../src/paths.ts'
import { agencScript, projectRoot } from '../helpers/cli.ts'
import { pathWithout } from '../helpers/path-without.ts'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import { openTerminal, type Terminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

const active = (box: SessionBox) => box.windows().find(({ isActive }) => isActive)?.mission

/** Makes the mission ask for a permission that stays unanswered. */
async function ask(box: SessionBox, mission: string): Promise<void> {
  const { id } = box.windowOf(mission)!
  box.tmux('send-keys', '-t', id, '-l', '[[bash touch x]]')
  box.tmux('send-keys', '-t', id, 'Enter')
  await box.waitForState(mission, 'waiting')
}

async function threeMissions() {
  const box = sessionBox()
  box.agenc(['config', 'set', 'claude.permission_mode', 'default'])
  const a = await box.start()
  const b = await box.startFrom(a.id, '--name', 'zulu')
  const c = await box.startFrom(a.id, '--name', 'yankee')
  box.tmux('select-window', '-t', a.id)
  return { box, a, b, c }
}

const openSwitch = (box: SessionBox, env: NodeJS.ProcessEnv = {}, columns = 110) =>
  openTerminal(process.execPath, [agencScript, 'tmux', 'switch'], {
    env: { ...box.env, ...env },
    columns,
    rows: 36,
  })

/** The short ids of the rows, from top to bottom. */
const idsOn = (terminal: Terminal) =>
  [...terminal.screen().matchAll(/ +\d+[smhd] {2}([0-9a-f]{8})\b/g)].map(match => match[1])

const socketOf = (box: SessionBox) => box.tmux('display-message', '-p', '#{socket_path}').trim()

/** Runs a picker script with the arguments that a key passes: a file, the path of fzf, and agenc. */
const openScript = (name: string, args: string[], env: NodeJS.ProcessEnv) =>
  openTerminal('/bin/sh', [join(projectRoot, 'dist', name), ...args, process.execPath, agencScript], {
    env,
    columns: 110,
    rows: 36,
  })

/** Opens a popup as a key does, for a client that shows that window. */
async function openPopup(box: SessionBox, window: string, command: string[]): Promise<Terminal> {
  const terminal = openTerminal('tmux', ['-u', 'attach-session', '-t', '=agenc'], { env: box.env })
  const client = await waitFor('a client', () => box.tmux('list-clients', '-F', '#{client_name}').trim())
  box.tmux('display-popup', '-E', '-c', client, '-t', window, ...command)
  return terminal
}

/** Writes a program into its own directory, so that only tests that use the returned path or PATH find it. */
function program(box: SessionBox, name: string, script: string): { path: string; PATH: string } {
  const directory = join(box.root, `only-${name}`)
  const path = join(directory, name)
  mkdirSync(directory)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return { path, PATH: `${directory}:${box.env.PATH}` }
}

describe('switch', () => {
  test('lists waiting missions first, with a live preview, and Enter goes to one', async () => {
    const { box, a, b, c } = await threeMissions()
    await ask(box, c.mission)
    const terminal = openSwitch(box)
    const screen = await terminal.waitForText('enter: go there')
    expect(idsOn(terminal)).toEqual([c, b, a].map(({ mission }) => mission.slice(0, 8)))
    expect(screen).toContain('yankee')
    await terminal.waitForText('Do you want to proceed')
    terminal.type('\r')
    expect(await terminal.exited).toBe(0)
    expect(active(box)).toBe(c.mission)
  })

  test('one key stops, one forks, and cancelling exits with 130 silently', async () => {
    const { box, b } = await threeMissions()
    const stopping = openSwitch(box)
    await stopping.waitForText('enter: go there')
    stopping.type('zulu')
    await waitFor('one row', () => idsOn(stopping).length === 1)
    stopping.type('\u0018')
    expect(await stopping.exited).toBe(0)
    expect(box.mission(b.mission).status).toBe('stopped')
    const cancelled = openSwitch(box)
    await cancelled.waitForText('enter: go there')
    cancelled.type('\u001b')
    expect(await cancelled.exited).toBe(130)
    expect(cancelled.raw()).not.toContain('agenc:')
  })

  test('from another session, the client is switched', async () => {
    const box = sessionBox()
    await box.start()
    const terminal = openTerminal('tmux', ['new-session', '-s', 'mine', '/bin/sh'], {
      env: box.env,
      columns: 110,
      rows: 36,
    })
    await terminal.waitForText('shell$')
    terminal.type(`${process.execPath} ${agencScript} tmux switch\r`)
    await terminal.waitForText('enter: go there')
    terminal.type('\r')
    await waitFor('the client', () => box.tmux('list-clients', '-F', '#{session_name}') === 'agenc\n')
  })

  test('text that is too long for its column is cut before the next column', async () => {
    const box = sessionBox()
    const repo = box.addRepo('a-repo-of-a-long-name')
    const a = await box.start()
    box.agenc(['mission', 'new', repo, '--name', 'a name that is too long'], { env: box.inside(a.id) })
    const terminal = openSwitch(box, {}, 62)
    await terminal.waitForText(/ a name\S*( \S+)*… +\S+… +\d+s {2}[0-9a-f]{8}/)
  })

  test('without fzf, a search prompt shows the same list', async () => {
    const { box, c } = await threeMissions()
    await ask(box, c.mission)
    const terminal = openSwitch(box, { PATH: pathWithout(box.env.PATH!, ['fzf']) })
    await terminal.waitForText('waiting: permission')
    terminal.type('yankee')
    await waitFor('one row', () => !terminal.screen().includes('zulu'))
    terminal.type('\r')
    expect(await terminal.exited).toBe(0)
    expect(active(box)).toBe(c.mission)
  })

  test('AGENC_TMUX alone does not mean inside the session, so switch says where the window is', async () => {
    const { box, b } = await threeMissions()
    const terminal = openSwitch(box, { AGENC_TMUX: '1', TMUX: `${box.root}/other,1,0` })
    await terminal.waitForText('enter: go there')
    terminal.type('zulu')
    await waitFor('one row', () => idsOn(terminal).length === 1)
    terminal.type('\r')
    expect(await terminal.exited).toBe(0)
    expect(active(box)).toBe(b.mission)
    expect(terminal.screen()).toContain('agenc tmux attach')
  })

  test('in a popup of the session, tmux switches without Node', async () => {
    const { box, a } = await threeMissions()
    const { path } = program(box, 'fzf', 'echo; head -n 1')
    const terminal = await openPopup(box, a.id, [
      '/bin/sh',
      join(projectRoot, 'dist', 'switcher.sh'),
      socketOf(box),
      pathsAt(box.agencHome).missions,
      path,
      '/bin/false',
    ])
    await waitFor('another window', () => active(box) !== a.mission)
    terminal.kill()
  })

  test('switch does not report "no window" if tmux cannot be asked', async () => {
    const box = sessionBox()
    const a = await box.start()
    const { PATH } = program(box, 'tmux', 'echo "protocol version mismatch" >&2; exit 1')
    const terminal = openScript('switcher.sh', [socketOf(box), pathsAt(box.agencHome).missions, 'fzf'], {
      ...box.env,
      PATH,
    })
    expect(await terminal.exited).toBe(1)
    expect(terminal.screen()).toContain('protocol version mismatch')
    expect(terminal.screen()).toContain('agenc: tmux does not answer')
    for (const command of ['switch', 'next']) {
      const done = box.agenc(['tmux', command, '--json'], { env: { ...box.inside(a.id), PATH } })
      expect(done).toMatchObject({ exitCode: 1, stdout: '' })
      expect(done.stderr).toContain('agenc: tmux does not answer')
    }
  })

  test('without missions, switch says so', () => {
    const box = sessionBox()
    expect(box.agenc(['tmux', 'switch'])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'No mission has a window.\n',
    })
  })
})

describe.each([
  ['was removed', '/nowhere/fzf'],
  ['does not know an option', 'exit 2'],
])('if fzf %s, the search prompt appears', (_title, fzf) => {
  const place = async () => {
    const box = sessionBox()
    const a = await box.start()
    const b = await box.startFrom(a.id, '--name', 'zulu')
    box.tmux('select-window', '-t', a.id)
    const PATH = pathWithout(box.env.PATH!, ['fzf'])
    const path = fzf.startsWith('/') ? fzf : program(box, 'fzf', fzf).path
    return { box, a, b, path, env: { ...box.env, ...box.inside(a.id), PATH } }
  }

  test('for the switcher', async () => {
    const { box, a, b, path, env } = await place()
    const terminal = openScript('switcher.sh', [socketOf(box), pathsAt(box.agencHome).missions, path], env)
    await terminal.waitForText('zulu')
    terminal.type('zulu')
    await waitFor('one row', () => !terminal.screen().includes(a.mission.slice(0, 8)))
    terminal.type('\r')
    expect(await terminal.exited).toBe(0)
    expect(active(box)).toBe(b.mission)
  })

  test('for a new mission', async () => {
    const { box, a, path, env } = await place()
    box.addRepo('app')
    const used = box.addRepo('zebra')
    const inside = { env: box.inside(a.id) }
    const mission = box.agenc(['mission', 'new', used, '--no-focus'], inside).stdout.trim()
    await box.waitForState(mission, 'idle')
    // A repo stays used after its mission is gone.
    expect(box.agenc(['mission', 'stop', mission]).exitCode).toBe(0)
    expect(box.agenc(['mission', 'rm', mission, '--yes']).exitCode).toBe(0)
    const { repoChoices } = pathsAt(box.agencHome)
    const terminal = openScript('repo-picker.sh', [repoChoices, path], env)
    await terminal.waitForText('(blank)')
    expect(terminal.screen().indexOf('zebra')).toBeLessThan(terminal.screen().indexOf('app'))
    terminal.type('\r')
    expect(await terminal.exited).toBe(0)
    expect(box.missions()).toHaveLength(3)
    expect(box.missions().filter(({ repo }) => repo === used)).toHaveLength(1)
  })
})

test('switch works with an old fzf found on PATH', async () => {
  const { box, b } = await threeMissions()
  const real = box.env.PATH!
  const { PATH } = program(
    box,
    'fzf',
    `case "$*" in *--expect*) exit 2 ;; esac\nPATH='${real}' exec fzf "$@"`,
  )
  const terminal = openSwitch(box, { PATH })
  await terminal.waitForText('zulu')
  terminal.type('zulu')
  await waitFor('one row', () => !terminal.screen().includes('yankee'))
  terminal.type('\r')
  expect(await terminal.exited).toBe(0)
  expect(active(box)).toBe(b.mission)
})

test('next goes to the mission that has waited longest, then to the one after it', async () => {
  const { box, a, b, c } = await threeMissions()
  const next = () => box.agenc(['tmux', 'next'], { env: box.inside(box.windows().find(w => w.isActive)!.id) })
  expect(next().stderr).toContain('No mission is waiting for you')
  await ask(box, c.mission)
  await ask(box, b.mission)
  const visited = [next(), next(), next()].map(({ exitCode }, index) => ({ exitCode, index }))
  expect(visited.every(({ exitCode }) => exitCode === 0)).toBe(true)
  expect(active(box)).toBe(c.mission)
  next()
  expect(active(box)).toBe(b.mission)
  expect(a.mission).not.toBe(b.mission)
})
