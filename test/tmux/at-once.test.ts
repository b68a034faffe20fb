import { describe, expect, test } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { agencScript } from '../helpers/cli.ts'
import { isAlive } from '../helpers/processes.ts'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

interface Restored {
  id: string
  restored: boolean
  reason: string | null
}

async function threeMissions(box: SessionBox): Promise<string[]> {
  const first = await box.start()
  const second = await box.startFrom(first.id)
  const third = await box.startFrom(first.id)
  return [first, second, third].map(({ mission }) => mission)
}

async function loseAll(box: SessionBox): Promise<void> {
  const processes = box.missions().flatMap(({ wrapper_pid, claude_pid }) => [wrapper_pid!, claude_pid!])
  box.tmux('kill-server')
  await waitFor('all processes to end', () => !processes.some(isAlive))
}

/** The missions that windows show, with one entry for each window. */
const shown = (box: SessionBox) =>
  box
    .windows()
    .map(({ mission }) => mission)
    .sort()

describe('at the same time', () => {
  test('two restores open one window for each mission, and one of them says restored', async () => {
    const box = sessionBox()
    const missions = (await threeMissions(box)).sort()
    await loseAll(box)
    const restore = async () => {
      const { stdout } = await box.agencAsync(['tmux', 'restore', '--json'])
      return JSON.parse(stdout) as Restored[]
    }
    const results = (await Promise.all([restore(), restore(), restore()])).flat()
    expect(shown(box)).toEqual(missions)
    for (const mission of missions) {
      const own = results.filter(({ id }) => id === mission)
      expect(own.filter(({ restored }) => restored)).toHaveLength(1)
      for (const { reason } of own.filter(({ restored }) => !restored))
        expect(reason).toMatch(/is already running \(process \d+\)/)
    }
    expect(box.missions().map(({ status }) => status)).toEqual(['running', 'running', 'running'])
  })

  test('many resumes open one window', async () => {
    const box = sessionBox()
    const [first, second] = (await threeMissions(box)) as [string, string]
    box.agencJson(['mission', 'stop', second])
    const env = box.inside(box.windowOf(first)!.id)
    const resumes = [1, 2, 3, 4].map(() =>
      box.agencAsync(['mission', 'resume', second, '--no-focus'], { env }),
    )
    const ran = await Promise.all(resumes)
    expect(ran.filter(({ exitCode }) => exitCode === 0).length).toBeGreaterThanOrEqual(1)
    for (const { stderr } of ran.filter(({ exitCode }) => exitCode !== 0))
      expect(stderr).toMatch(/is (already )?running/)
    await box.waitForState(second, 'idle')
    expect(box.windows().filter(({ mission }) => mission === second)).toHaveLength(1)
    expect(box.windows()).toHaveLength(3)
  })

  test('a restore and resumes, in the session and in a terminal, start each mission once', async () => {
    const box = sessionBox()
    const [first, second] = (await threeMissions(box)) as [string, string]
    await loseAll(box)
    box.agenc(['mission', 'stop', first])
    openTerminal(process.execPath, [agencScript, 'mission', 'resume', first], { env: box.env, cwd: box.root })
    await box.waitForState(first, 'idle')
    const inTerminal = openTerminal(process.execPath, [agencScript, 'mission', 'resume', second], {
      env: box.env,
      cwd: box.root,
    })
    await box.agencAsync(['tmux', 'restore'])
    const again = await box.waitForState(second, 'idle')
    const windows = box.windows().filter(({ mission }) => mission === second)
    expect(windows).toHaveLength(again.tmux_window === null ? 0 : 1)
    if (again.tmux_window !== null) expect(await inTerminal.waitForText('is already running')).toBeTruthy()
    expect(box.windows().every(({ mission }) => mission !== '')).toBe(true)
  })

  test('a mission can be resumed right after it was made: its window is selected, and there is only one', async () => {
    const box = sessionBox()
    const first = await box.start()
    const env = box.inside(first.id)
    const made = box.agenc(['mission', 'new', '--blank', '--no-focus'], { env })
    const id = made.stdout.trim()
    expect(box.agenc(['mission', 'resume', id], { env })).toMatchObject({ exitCode: 0 })
    await box.waitForState(id, 'idle')
    expect(shown(box)).toEqual([first.mission, id].sort())
  })
})

test('a window that cannot be opened leaves the mission as it was', async () => {
  const box = sessionBox()
  const [first, second] = (await threeMissions(box)) as [string, string]
  box.agencJson(['mission', 'stop', second])
  const before = box.agencJson<MissionJson>(['mission', 'show', second])
  const window = box.windowOf(first)!.id
  const env = box.inside(window)
  box.tmux('set-hook', '-g', 'after-display-message', 'kill-session -t =agenc')
  expect(box.agenc(['mission', 'resume', second], { env }).exitCode).not.toBe(0)
  const after = box.agencJson<MissionJson>(['mission', 'show', second])
  expect(after).toEqual({ ...before, tmux_window: after.tmux_window })
  expect(after.status).toBe('stopped')
})
