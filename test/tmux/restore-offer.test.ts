import { describe, expect, test } from 'vitest'
import { agencScript } from '../helpers/cli.ts'
import { isAlive } from '../helpers/processes.ts'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import { openTerminal, type Terminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

/** Three missions whose windows are not in the order in which they were created or last used. */
async function threeMissions(box: SessionBox): Promise<string[]> {
  const a = await box.start()
  const b = await box.startFrom(a.id, '--name', 'bee')
  const c = await box.startFrom(a.id, '--name', 'cat')
  expect(box.windows().map(({ mission }) => mission)).toEqual([a.mission, c.mission, b.mission])
  return [a.mission, c.mission, b.mission]
}

const order = (box: SessionBox) => box.windows().map(({ mission }) => mission)

function run(box: SessionBox, ...args: string[]): Terminal {
  return openTerminal(process.execPath, [agencScript, ...args], { env: box.env, columns: 160 })
}

async function crash(box: SessionBox): Promise<void> {
  const processes = box.missions().flatMap(({ wrapper_pid, claude_pid }) => [wrapper_pid!, claude_pid!])
  process.kill(Number(box.tmux('display-message', '-p', '#{pid}')), 'SIGKILL')
  await waitFor('all processes to end', () => !processes.some(isAlive))
}

describe('after a crash', () => {
  test.each([[['tmux', 'attach']], [[]]])('agenc %j offers to restore, and keeps the order', async args => {
    const box = sessionBox()
    const missions = await threeMissions(box)
    await crash(box)
    const terminal = run(box, ...args)
    await terminal.waitForText('3 missions were running. Restore them? (Y/n)')
    terminal.type('\r')
    await waitFor('the windows', () => order(box).length === 3)
    await waitFor('the client', () => box.tmux('list-clients').includes('agenc'))
    expect(order(box)).toEqual(missions)
    expect(box.missions().map(({ status }) => status)).toEqual(['running', 'running', 'running'])
    await terminal.waitForText('bee')
  })

  test('a mission that was archived since is not restored, also after unarchive', async () => {
    const box = sessionBox()
    const { mission } = await box.start()
    await crash(box)
    for (const verb of ['archive', 'unarchive'])
      expect(box.agenc(['mission', verb, mission])).toMatchObject({ exitCode: 0 })
    expect(box.mission(mission).status).toBe('stopped')
    expect(box.agenc(['tmux', 'restore']).stderr).toBe('There is nothing to restore.\n')
  })

  test('Esc leaves everything as it is', async () => {
    const box = sessionBox()
    await box.start()
    await crash(box)
    const terminal = run(box, 'tmux', 'attach')
    await terminal.waitForText('1 mission was running. Restore it? (Y/n)')
    terminal.type('\u001b')
    expect(await terminal.exited).toBe(130)
    expect(box.missions()[0]!.status).toBe('crashed')
    expect(() => box.windows()).toThrow()
  })
})

describe('agenc tmux kill', () => {
  test('asks on a terminal, says what it ended, and restore brings it back in order', async () => {
    const box = sessionBox()
    const missions = await threeMissions(box)
    const no = run(box, 'tmux', 'kill')
    await no.waitForText('3 missions are running')
    no.type('\r')
    expect(await no.exited).toBe(130)
    expect(order(box)).toEqual(missions)

    const yes = run(box, 'tmux', 'kill')
    await yes.waitForText('3 missions are running')
    yes.type('y\r')
    expect(await yes.exited).toBe(0)
    expect(yes.screen()).toMatch(/Ended the agenc session and 3 missions: .*bee.*\n?.*agenc tmux restore/)
    expect(box.missions().map(({ status }) => status)).toEqual(['stopped', 'stopped', 'stopped'])

    expect(box.agenc(['tmux', 'restore'])).toMatchObject({ exitCode: 0 })
    expect(order(box)).toEqual(missions)
    expect(box.agenc(['tmux', 'restore']).stderr).toBe('There is nothing to restore.\n')
  })

  test('--yes does not ask, and the next attach offers to restore', async () => {
    const box = sessionBox()
    const missions = await threeMissions(box)
    const killed = run(box, 'tmux', 'kill', '--yes')
    expect(await killed.exited).toBe(0)
    expect(killed.screen()).not.toContain('?')
    const terminal = run(box, 'tmux', 'attach')
    await terminal.waitForText('3 missions were running. Restore them? (Y/n)')
    terminal.type('y\r')
    await waitFor('the windows', () => order(box).length === 3)
    expect(order(box)).toEqual(missions)
  })

  test('inside the session, the terminal that was attached says what it ended', async () => {
    const box = sessionBox()
    const { id, mission } = await box.start()
    const terminal = box.attach()
    await waitFor('the client', () => box.tmux('list-clients').includes('agenc'))
    expect(box.agenc(['tmux', 'kill'], { env: box.inside(id) })).toMatchObject({ exitCode: 0 })
    expect(await terminal.exited).toBe(0)
    expect(terminal.screen()).toContain(`1 mission: ${mission.slice(0, 8)} (blank)`)
  })

  test('restore brings back only what the last kill ended', async () => {
    const box = sessionBox()
    const first = await box.start()
    box.agenc(['tmux', 'kill'])
    const made = box.agenc(['mission', 'new', '--blank', '--detach'])
    await box.waitForState(made.stdout.trim(), 'idle')
    box.agenc(['tmux', 'kill'])
    expect(box.agencJson(['tmux', 'restore'])).toMatchObject([{ id: made.stdout.trim(), restored: true }])
    expect(box.mission(first.mission).status).toBe('stopped')
  })

  test('restore leaves alone what was stopped, archived or run since', async () => {
    const box = sessionBox()
    const missions = await threeMissions(box)
    box.agenc(['tmux', 'kill'])
    const [a, b, c] = missions as [string, string, string]
    box.agenc(['mission', 'archive', b])
    box.agenc(['mission', 'resume', c, '--detach'])
    await box.waitForState(c, 'idle')
    box.agenc(['mission', 'stop', c])
    expect(box.agencJson<{ id: string }[]>(['tmux', 'restore']).map(({ id }) => id)).toEqual([a])
  })
})
