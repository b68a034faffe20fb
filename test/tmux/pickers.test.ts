import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pressAgencKey } from '../helpers/agenc-key.ts'
import { agencScript } from '../helpers/cli.ts'
import { pathWithout } from '../helpers/path-without.ts'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import { openTerminal, type Terminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

async function attended(env: NodeJS.ProcessEnv = {}) {
  const box = sessionBox()
  Object.assign(box.env, env)
  const repo = box.addRepo('shop')
  const first = await box.start()
  const terminal = box.attach({ columns: 100, rows: 30 })
  await terminal.waitForText('mode on')
  return { box, repo, first, terminal }
}

const newest = (box: SessionBox, before: string) =>
  waitFor('a second mission', () => box.missions().find(({ id }) => id !== before))

async function answer(terminal: Terminal, question: string | RegExp, keys: string): Promise<void> {
  await terminal.waitForText(question)
  terminal.type(keys)
}

describe('prefix a n', () => {
  test('has a title, and Enter starts the mission at once', async () => {
    const { box, repo, first, terminal } = await attended()
    await pressAgencKey(box, terminal, 'n')
    await terminal.waitForText('New mission: pick a repo')
    await terminal.waitForText(repo)
    terminal.type('shop\r')
    const mission = await newest(box, first.mission)
    expect(mission).toMatchObject({ repo, name: null })
  })

  test('ctrl-o opens a form for prompt, name, mode, approvals and model', async () => {
    const { box, repo, first, terminal } = await attended()
    await pressAgencKey(box, terminal, 'n')
    await terminal.waitForText(repo)
    terminal.type('\u000f')
    await answer(terminal, 'Prompt', '[[text from the form]]\r')
    await answer(terminal, 'Name:', 'by form\r')
    await answer(terminal, 'Permission mode:', '\u001b[B')
    await answer(terminal, /❯ acceptEdits/, '\r')
    await answer(terminal, 'Approvals:', '\u001b[B\u001b[B')
    await answer(terminal, /❯ rules/, '\r')
    await answer(terminal, 'Model:', 'opus\r')
    await answer(terminal, 'Base', '\r')
    await answer(terminal, 'Branch:', '\r')
    const { id } = await newest(box, first.mission)
    const mission = await box.waitForState(id, 'idle')
    expect(mission).toMatchObject({
      repo,
      name: 'by form',
      permission_mode: 'acceptEdits',
      approve: 'rules',
      model: 'opus',
      about: '[[text from the form]]',
    })
  })

  test('in the form, Enter alone leaves everything to the settings, and Esc starts nothing', async () => {
    const { box, repo, first, terminal } = await attended()
    await pressAgencKey(box, terminal, 'n')
    await terminal.waitForText(repo)
    terminal.type('\u000f')
    await answer(terminal, 'Prompt', '\u001b')
    await waitFor('the popup to close', () => !/[┌┘]/.test(terminal.screen()))
    expect(box.missions()).toHaveLength(1)
    await pressAgencKey(box, terminal, 'n')
    await terminal.waitForText(repo)
    terminal.type('\u000f')
    const questions = ['Prompt', 'Name:', 'Permission mode:', 'Approvals:', 'Model:', 'Base', 'Branch:']
    for (const question of questions) await answer(terminal, question, '\r')
    const mission = await newest(box, first.mission)
    expect(mission).toMatchObject({ repo, name: null, permission_mode_source: 'claude', model: null })
  })

  test('the prompt can be written in $EDITOR', async () => {
    const editor = { EDITOR: '' }
    const { box, repo, first } = await attended(editor)
    const path = join(box.root, 'write-prompt')
    writeFileSync(path, '#!/bin/sh\nprintf "first line\\nsecond line\\n" >"$1"\n')
    chmodSync(path, 0o755)
    const terminal = openTerminal(process.execPath, [agencScript, 'mission', 'new', repo, '--form'], {
      env: { ...box.env, ...box.inside(first.id), EDITOR: path },
    })
    await answer(terminal, /Prompt .*write-prompt/, 'e\r')
    for (const question of ['Name:', 'Permission mode:', 'Approvals:', 'Model:', 'Base', 'Branch:'])
      await answer(terminal, question, '\r')
    expect(await terminal.exited).toBe(0)
    const { id } = await newest(box, first.mission)
    await waitFor('the prompt', () => box.mission(id).about === 'first line')
  })
})

describe.each([
  ['with fzf', (path: string) => path],
  ['without fzf', (path: string) => pathWithout(path, ['fzf'])],
])('the resume picker, %s', (_title, pathFor) => {
  test('lists what has ended first, with state, subject and age, and running ones below, marked', async () => {
    const box = sessionBox()
    const running = await box.start()
    const stopped = await box.startFrom(running.id, '--prompt', '[[text hi]] tidy up the shelves')
    const crashed = await box.startFrom(running.id, '--name', 'fell over')
    box.agenc(['mission', 'stop', stopped.mission])
    const { wrapper_pid, claude_pid } = box.mission(crashed.mission)
    for (const pid of [wrapper_pid!, claude_pid!]) process.kill(pid, 'SIGKILL')
    await waitFor('the crash', () => box.mission(crashed.mission).status === 'crashed')
    // The running one was active last.
    box.tmux('send-keys', '-t', running.id, '-l', 'hello [[text yes]]')
    box.tmux('send-keys', '-t', running.id, 'Enter')
    await waitFor('its turn', () => box.mission(running.mission).about?.startsWith('hello'))
    await box.waitForState(running.mission, 'idle')
    const terminal = openTerminal(process.execPath, [agencScript, 'mission', 'resume'], {
      env: { ...box.env, PATH: pathFor(box.env.PATH!) },
      columns: 120,
      rows: 30,
    })
    await terminal.waitForText('Resume a mission')
    const row = (id: string) =>
      terminal
        .screen()
        .split('\n')
        .findIndex(line => line.includes(id.slice(0, 8)))
    await waitFor('the rows', () => row(running.mission) > 0)
    expect(row(running.mission)).toBeGreaterThan(Math.max(row(stopped.mission), row(crashed.mission)))
    const text = (id: string) => terminal.screen().split('\n')[row(id)]
    expect(text(stopped.mission)).toMatch(/stopped +.*tidy up the shelves +\(blank\) +\d+s/)
    expect(text(crashed.mission)).toMatch(/crashed +fell over +\(blank\) +\d+s/)
    expect(text(running.mission)).toMatch(/running \((idle|done)\) +hello/)
    terminal.type('\u001b')
    await terminal.exited
  })
})
