import { describe, expect, test } from 'vitest'
import { looks } from '../../src/tmux/status-style.ts'
import { pressAgencKey } from '../helpers/agenc-key.ts'
import { type Pretended, pretendMission } from '../helpers/mission-windows.ts'
import { sessionBox } from '../helpers/session.ts'
import type { Terminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

async function openWith(columns: number, rows: number, missions: Pretended[], env: NodeJS.ProcessEnv = {}) {
  const box = sessionBox()
  Object.assign(box.env, env)
  await box.start()
  for (const mission of missions) pretendMission(box, mission)
  const terminal = box.attach({ columns, rows })
  await waitFor('a client', () => box.tmux('list-clients').trim() !== '')
  await pressAgencKey(box, terminal, 's')
  await terminal.waitForText(`${missions.length + 1}/${missions.length + 1}`)
  const drawn = () => terminal.screen().match(/ \d+s {2}[0-9a-f]{8} /g)?.length ?? 0
  await waitFor('the rows', () => drawn() >= Math.min(missions.length + 1, 8))
  return { box, terminal }
}

/** The size of the popup, with its border. */
function popupOn(terminal: Terminal): { columns: number; rows: number } {
  const lines = terminal.screen().split('\n')
  const [top, bottom] = [
    lines.findIndex(row => row.includes('┌')),
    lines.findLastIndex(row => row.includes('└')),
  ]
  return {
    columns: lines[top]!.indexOf('┐') - lines[top]!.indexOf('┌') + 1,
    rows: bottom - top + 1,
  }
}

const many = Array.from({ length: 12 }, (_, index) => ({
  name: `task-${index}`,
  repo: 'local/src/shop',
}))

describe('the popup of the switcher', () => {
  test.each([
    [110, true],
    [80, false],
  ])('at %i columns, changes are shown: %s', async (columns, isShown) => {
    const changes = JSON.stringify({ files: 3, insertions: 120, deletions: 8 })
    const { terminal } = await openWith(columns, 24, [{ name: 'task', repo: 'local/src/shop', changes }])
    const row = terminal
      .screen()
      .split('\n')
      .find(line => line.includes('local/src/shop'))
    if (isShown) expect(row).toMatch(/ [0-9a-f]{8} {2}\+120 -8/)
    else expect(row).not.toContain('+120')
  })

  test('at 80×24 shows its title, all hints and at least 8 missions, and a key shows the preview', async () => {
    const { terminal } = await openWith(80, 24, many)
    expect(popupOn(terminal)).toEqual({ columns: 76, rows: 22 })
    const screen = terminal.screen()
    expect(screen).toContain('Switch to a mission')
    for (const hint of [
      'enter: go there',
      'ctrl-x: stop',
      'ctrl-f: fork',
      'ctrl-r: stopped',
      'ctrl-v: preview',
    ])
      expect(screen).toContain(hint)
    expect(screen.match(/task-\d+ +local\/src\/shop +\d+s/g)!.length).toBeGreaterThanOrEqual(8)
    expect(screen).not.toMatch(/│─{60,}│/)
    terminal.type('\u0016')
    await terminal.waitForText(/│─{60,}│/)
    terminal.type('\u0016')
    await waitFor('no preview', () => !/│─{60,}│/.test(terminal.screen()))
  })

  test.each([
    { columns: 200, rows: 50, popup: { columns: 160, rows: 30 }, preview: /shop +\d+s {2}[0-9a-f]{8} +│/ },
    { columns: 120, rows: 36, popup: { columns: 114, rows: 34 }, preview: /shop +\d+s {2}[0-9a-f]{8} +│/ },
    { columns: 119, rows: 30, popup: { columns: 113, rows: 28 }, preview: /│─{80,}│/ },
  ])('at $columns×$rows', async ({ columns, rows, popup, preview }) => {
    const { terminal } = await openWith(columns, rows, many)
    expect(popupOn(terminal)).toEqual(popup)
    await terminal.waitForText(preview)
    for (const hint of ['enter: go there', 'ctrl-f: fork', 'ctrl-v: preview'])
      expect(terminal.screen()).toContain(hint)
  })

  test('rows have the sign of their state, and waiting ones come first, then done ones', async () => {
    const missions = looks.map(({ word }) => ({
      name: `m-${word}`,
      state: word === 'done' ? 'idle' : word,
      isDone: word === 'done',
    }))
    const { terminal } = await openWith(100, 24, missions.toReversed())
    const rows = [...terminal.screen().matchAll(/(\S) m-(\w+) /g)].map(([, sign, word]) => ({ sign, word }))
    expect(rows.slice(0, 2).map(({ word }) => word)).toEqual(['waiting', 'done'])
    for (const { word, sign } of looks) expect(rows).toContainEqual({ sign, word })
  })

  test('rows have the colour of their state, except with NO_COLOR', async () => {
    const missions = ['idle', 'waiting', 'crashed', 'busy'].map(state => ({ name: `m-${state}`, state }))
    const { terminal } = await openWith(100, 24, missions, { NO_COLOR: '' })
    const colours = (screen: Terminal) =>
      ['· m-idle', '✗ m-crashed', '● m-busy'].map(text => screen.cellsAt(text)[0]!.foreground)
    expect(colours(terminal)).toEqual([6, 1, 2])
    const { terminal: plain } = await openWith(100, 24, missions, { NO_COLOR: '1' })
    expect(colours(plain)).toEqual([null, null, null])
  })

  test('signs are ASCII in a locale without UTF-8', async () => {
    const { terminal } = await openWith(100, 24, [{ name: 'at-work', state: 'busy' }], { LC_ALL: 'C' })
    await terminal.waitForText(/@ at-work/)
  })
})
