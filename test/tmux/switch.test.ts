import { describe, expect, test } from 'vitest'
import { agencScript } from '../helpers/cli.ts'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

const active = (box: SessionBox) => box.windows().find(({ isActive }) => isActive)?.mission

/** Makes the mission ask for a permission, which nobody gives. */
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

describe('switch', () => {
  test('waiting ones first, with a live preview; enter goes there', async () => {
    const { box, a, b, c } = await threeMissions()
    await ask(box, c.mission)
    const terminal = openSwitch(box)
    const screen = await terminal.waitForText('enter: go there')
    await terminal.waitForText(/waiting: permission/)
    const order = [...terminal.screen().matchAll(/^[> ]+([0-9a-f]{8}) /gm)].map(match => match[1])
    expect(order).toEqual([c, a, b].map(({ mission }) => mission.slice(0, 8)))
    expect(screen).toContain('yankee')
    await terminal.waitForText('Do you want to proceed')
    terminal.type('\r')
    expect(await terminal.exited).toBe(0)
    expect(active(box)).toBe(c.mission)
  })

  test('one key stops, one forks, cancelling is 130 and silent', async () => {
    const { box, b } = await threeMissions()
    const stopping = openSwitch(box)
    await stopping.waitForText('enter: go there')
    stopping.type('zulu')
    await waitFor('one row', () => stopping.screen().match(/^[> ]+[0-9a-f]{8} /gm)?.length === 1)
    stopping.type('\u0018')
    expect(await stopping.exited).toBe(0)
    expect(box.mission(b.mission).status).toBe('stopped')
    const cancelled = openSwitch(box)
    await cancelled.waitForText('enter: go there')
    cancelled.type('\u001b')
    expect(await cancelled.exited).toBe(130)
    expect(cancelled.raw()).not.toContain('agenc:')
  })

  test('from another session: the client is taken along', async () => {
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

  test('what is too long for its column is cut, and stays apart from the next', async () => {
    const box = sessionBox()
    const repo = box.addRepo('a-repo-of-a-long-name')
    const a = await box.start()
    box.agenc(['mission', 'new', repo, '--name', 'a name that is too long'], { env: box.inside(a.id) })
    const terminal = openSwitch(box, {}, 62)
    await terminal.waitForText(/[0-9a-f]{8} \S+… a name\S*( \S+)*… /)
  })

  test('without fzf: a search prompt with the same list', async () => {
    const { box, c } = await threeMissions()
    await ask(box, c.mission)
    const { pathWithout } = await import('../helpers/path-without.ts')
    const terminal = openSwitch(box, { PATH: pathWithout(box.env.PATH!, ['fzf']) })
    await terminal.waitForText('waiting: permission')
    terminal.type('yankee')
    await waitFor('one row', () => !terminal.screen().includes('zulu'))
    terminal.type('\r')
    expect(await terminal.exited).toBe(0)
    expect(active(box)).toBe(c.mission)
  })

  test('none: says so', () => {
    const box = sessionBox()
    expect(box.agenc(['tmux', 'switch'])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'No mission has a window.\n',
    })
  })
})

test('next goes to the one that has waited longest, and on to the next', async () => {
  const { box, a, b, c } = await threeMissions()
  const next = () => box.agenc(['tmux', 'next'], { env: box.inside(box.windows().find(w => w.isActive)!.id) })
  expect(next().stderr).toBe('No mission waits for you.\n')
  await ask(box, c.mission)
  await ask(box, b.mission)
  const visited = [next(), next(), next()].map(({ exitCode }, index) => ({ exitCode, index }))
  expect(visited.every(({ exitCode }) => exitCode === 0)).toBe(true)
  expect(active(box)).toBe(c.mission)
  next()
  expect(active(box)).toBe(b.mission)
  expect(a.mission).not.toBe(b.mission)
})
