import { existsSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { MissionId } from '../../src/mission-id.ts'
import { pathsAt } from '../../src/paths.ts'
import { agencScript } from '../helpers/cli.ts'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import { openTerminal, type Terminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

async function oneMission() {
  const box = sessionBox()
  box.agenc(['config', 'set', 'claude.permission_mode', 'default'])
  const window = await box.start()
  return { box, ...window }
}

function say(box: SessionBox, window: string, text: string): void {
  box.tmux('send-keys', '-t', window, '-l', text)
  box.tmux('send-keys', '-t', window, 'Enter')
}

const openSwitch = (box: SessionBox, columns: number, rows: number) =>
  openTerminal(process.execPath, [agencScript, 'tmux', 'switch'], { env: box.env, columns, rows })

/** The rows right of, or below, the border of the preview. */
const previewOn = (terminal: Terminal) =>
  terminal
    .screen()
    .split('\n')
    .map(row => row.split('│')[1] ?? '')
    .map(row => row.trim())

const fileOf = (box: SessionBox, mission: string) =>
  pathsAt(box.agencHome).mission(mission as MissionId).preview

const textOf = (box: SessionBox, mission: string) =>
  existsSync(fileOf(box, mission)) ? readFileSync(fileOf(box, mission), 'utf8') : ''

const spinner = /[⠁-⣿]/

describe('the preview', () => {
  test('of a waiting mission in a tall window: the request in full, the last rows with text, no spinner', async () => {
    const { box, id, mission } = await oneMission()
    box.tmux('resize-window', '-t', id, '-x', '120', '-y', '100')
    const words = Array.from({ length: 40 }, (_, index) => `word-${index}`).join(' ')
    say(box, id, `[[bash echo ${words} && touch last-of-it]]`)
    await box.waitForState(mission, 'waiting')
    const terminal = openSwitch(box, 130, 40)
    await terminal.waitForText('Esc to cancel')
    const preview = previewOn(terminal)
    expect(preview[0]).toBe('Asks: Bash')
    const ruler = preview.findIndex(row => /^-+$/.test(row))
    const request = preview.slice(1, ruler).join(' ')
    expect(request).toContain(`echo ${words} && touch last-of-it`)
    expect(preview.findLast(Boolean)).toMatch(/Esc to cancel/)
    await waitFor('the spinner to end', () => !spinner.test(terminal.screen()))
  })

  test('of an idle mission: the last message of Claude, wrapped and without escape sequences', async () => {
    const { box, id, mission } = await oneMission()
    const words = Array.from({ length: 60 }, (_, index) => `wort-${index}-ü`).join(' ')
    say(box, id, `[[text First of all, ${words}, the end.]]`)
    await waitFor('the message', () => existsSync(fileOf(box, mission)))
    await box.waitForState(mission, 'idle')
    expect(statSync(fileOf(box, mission)).mode & 0o777).toBe(0o600)
    const terminal = openSwitch(box, 130, 40)
    await terminal.waitForText(/│.*manual mode on/)
    const preview = previewOn(terminal)
    expect(
      preview
        .slice(
          0,
          preview.findIndex(row => /^-+$/.test(row)),
        )
        .join(' '),
    ).toBe(`First of all, ${words}, the end.`)
    expect(preview.findLast(Boolean)).toContain('manual mode on')
  })

  test('of a resumed mission: the last message of its conversation', async () => {
    const { box, id, mission } = await oneMission()
    const other = await box.startFrom(id)
    say(box, id, '[[text remembered words]]')
    await waitFor('the message', () => existsSync(fileOf(box, mission)))
    box.agenc(['mission', 'stop', mission])
    expect(existsSync(fileOf(box, mission))).toBe(false)
    box.agenc(['mission', 'resume', mission], { env: box.inside(other.id) })
    await box.waitForState(mission, 'idle')
    await waitFor('the message', () => existsSync(fileOf(box, mission)))
    expect(readFileSync(fileOf(box, mission), 'utf8')).toBe('remembered words\n')
  })

  test('follows the state: nothing above the rows of a busy mission', async () => {
    const { box, id, mission } = await oneMission()
    say(box, id, '[[bash touch one]] [[text all done]] ')
    await box.waitForState(mission, 'waiting')
    await waitFor('the request', () => textOf(box, mission).includes('touch one'))
    expect(box.agenc(['mission', 'answer', mission, 'allow']).exitCode).toBe(0)
    await waitFor('the message', () => textOf(box, mission) === 'all done\n')
    say(box, id, '[[hang]]')
    await box.waitForState(mission, 'busy')
    await waitFor('no text', () => !existsSync(fileOf(box, mission)))
    const terminal = openSwitch(box, 130, 40)
    await terminal.waitForText('● ')
    expect(previewOn(terminal)).not.toContain('all done')
  })
})
