import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isAlive } from '../helpers/processes.ts'
import { findRealClaude, seedClaudeHome } from '../helpers/real-claude.ts'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import { startStubApi } from '../helpers/stub-api.ts'
import type { Terminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

const shiftTab = '\u001b[Z'
const left = '\u001b[D'

/** Pastes a prompt and presses Enter. After fast typing, Claude would take Enter as a newline. */
async function say(terminal: Terminal, text: string): Promise<void> {
  terminal.type(`\u001b[200~${text}\u001b[201~`)
  await terminal.waitForText(text.slice(0, 30))
  terminal.type('\r')
}

async function answer(box: SessionBox, terminal: Terminal, mission: string, key: string): Promise<void> {
  await terminal.waitForText('Do you want to proceed')
  await waitFor('the dialog to take the key', () => {
    if (box.mission(mission).state === 'waiting') terminal.type(key)
    return box.mission(mission).state !== 'waiting'
  })
}

test('a day with the real Claude Code: new, prompts, dialogs, modes, /clear, fork, resume and restore', {
  timeout: 240_000,
}, async context => {
  const real = await findRealClaude()
  if ('missing' in real) return context.skip(real.missing)
  const api = await startStubApi()
  const box = sessionBox({ claude: real.path })
  const { env } = seedClaudeHome(box.home, [], api.baseUrl)
  Object.assign(box.env, env, { PATH: `${join(box.root, 'bin')}:${process.env.PATH}` })
  box.agenc(['config', 'set', 'claude.permission_mode', 'default'])
  const repo = box.addRepo('alpha')

  const terminal = box.attach()
  await terminal.waitForText(repo)
  terminal.type('\r')
  const first = await waitFor('the first mission', () => box.windows().find(({ mission }) => mission))
  await box.waitForState(first.mission, 'idle')
  await terminal.waitForText('manual mode')
  expect(terminal.screen()).not.toContain('trust')

  await say(terminal, 'Hello there. [[text good morning]]')
  await terminal.waitForText('● good morning')
  await box.waitForState(first.mission, 'idle')

  await say(terminal, 'Work now. [[bash touch made-it]] [[text work is finished]]')
  const asking = await box.waitForState(first.mission, 'waiting')
  expect(asking).toMatchObject({ waiting_for: 'permission', waiting_since: expect.any(String) })
  await answer(box, terminal, first.mission, '1')
  await terminal.waitForText('● work is finished')
  await box.waitForState(first.mission, 'idle')
  expect(existsSync(join(asking.dir, 'made-it'))).toBe(true)

  terminal.type(shiftTab)
  await terminal.waitForText('accept edits')
  await say(terminal, 'Next. [[text in another mode]]')
  await terminal.waitForText('● in another mode')
  await waitFor('the mode to be stored', () => box.mission(first.mission).permission_mode === 'acceptEdits')
  expect(box.mission(first.mission).permission_mode_source).toBe('mission')

  await say(terminal, 'Take your time. [[text a few words]]+[[hang]]')
  await box.waitForState(first.mission, 'busy')
  await terminal.waitForText('● a few words')
  terminal.type('\u001b')
  await box.waitForState(first.mission, 'idle')

  const before = box.mission(first.mission).session_id
  await say(terminal, '/clear')
  const cleared = await waitFor('another session', () => {
    const mission = box.mission(first.mission)
    return mission.session_id !== before && mission
  })
  await say(terminal, 'After clear. [[text fresh start]]')
  await terminal.waitForText('● fresh start')
  await box.waitForState(first.mission, 'idle')

  terminal.type(left)
  await say(terminal, 'Still here. [[text in the wrapper]]')
  await terminal.waitForText('● in the wrapper')
  expect(box.mission(first.mission).session_id).toBe(cleared.session_id)
  await box.waitForState(first.mission, 'idle')

  const side = await box.startFrom(first.id, '--name', 'side')
  expect(box.windowOf(side.mission)).toMatchObject({ isActive: true, parent: first.id })
  await say(terminal, '/exit')
  await waitFor(
    'the first window to be active again',
    () => box.windows().length === 1 && box.windows()[0]!.isActive,
  )
  expect(box.mission(side.mission)).toMatchObject({ status: 'stopped', last_exit: { code: 0 } })

  const fork = box.agenc(['mission', 'fork', first.mission, '--no-focus'], { env: box.inside(first.id) })
  expect(fork).toMatchObject({ exitCode: 0 })
  const forked = await box.waitForState(fork.stdout.trim(), 'idle')
  await waitFor('the words of the original in the fork', () =>
    box.tmux('capture-pane', '-p', '-t', forked.tmux_window!).includes('in the wrapper'),
  )
  expect(existsSync(join(forked.dir, 'made-it'))).toBe(true)
  expect(box.mission(first.mission).session_id).toBe(cleared.session_id)

  await say(terminal, '/exit')
  await waitFor('the first mission to end', () => box.mission(first.mission).status === 'stopped')
  expect(
    box.agenc(['mission', 'resume', first.mission], { env: box.inside(forked.tmux_window!) }).exitCode,
  ).toBe(0)
  await box.waitForState(first.mission, 'idle')
  await terminal.waitForText('● in the wrapper')
  expect(box.mission(first.mission)).toMatchObject({
    session_id: cleared.session_id,
    permission_mode: 'acceptEdits',
  })

  const processes = box.missions().flatMap(({ wrapper_pid, claude_pid }) => [wrapper_pid, claude_pid])
  box.tmux('kill-server')
  await waitFor('all processes to end', () => !processes.some(pid => pid !== null && isAlive(pid)))
  expect(box.mission(first.mission).status).toBe('crashed')
  expect(box.agenc(['tmux', 'restore'])).toMatchObject({ exitCode: 0 })
  const back = await box.waitForState(first.mission, 'idle')
  await waitFor('the restored conversation', () =>
    box.tmux('capture-pane', '-p', '-t', back.tmux_window!).includes('in the wrapper'),
  )
  api.close()
})
