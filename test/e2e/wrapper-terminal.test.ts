import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agencScript } from '../helpers/cli.ts'
import { isSuspended, untilGone } from '../helpers/processes.ts'
import type { Terminal } from '../helpers/terminal.ts'
import { tmuxBench } from '../helpers/tmux.ts'
import { waitFor } from '../helpers/wait.ts'
import { say, type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

const ctrlZ = '\u001a'

async function missionUnderShell(box: WrapperBox): Promise<{ id: string; terminal: Terminal }> {
  const terminal = await box.shell()
  terminal.type('echo before $((1+1)); agenc mission new --blank\r')
  const { id } = await waitFor('the mission', () => box.records()[0])
  await box.ready(id)
  return { id, terminal }
}

describe('after kill -9 of Claude', () => {
  test('the terminal’s modes, screen and scrollback are restored', async () => {
    const box = wrapperBox()
    const { id, terminal } = await missionUnderShell(box)
    await terminal.waitForText('Claude Code')
    const drawn = terminal.raw().length
    process.kill(box.record(id).claude_pid!, 'SIGKILL')
    await terminal.waitForText('before 2')
    expect(terminal.screen()).not.toContain('Claude Code')
    const said = terminal.raw().slice(drawn)
    for (const mode of ['?1049l', '?1000l', '?1003l', '?1006l', '?25h', '?1004l', '?2004l', '<u', '>4m'])
      expect(said).toContain(`\u001b[${mode}`)
    expect(said).toContain('\u001b]0;\u0007')
    terminal.type('stty -a | tr ";" "\\n" | grep -o "[-]*icanon\\|[-]*echo \\|[-]*isig" | tr "\\n" .; echo\r')
    await terminal.waitForText(/isig\.icanon\.echo/)
  })

  test('under a shell the exit code is 137 and no message waits for Enter', async () => {
    const box = wrapperBox()
    const { id, terminal } = await missionUnderShell(box)
    process.kill(box.record(id).claude_pid!, 'SIGKILL')
    await box.until(id, 'stopped')
    terminal.type('echo "left $?"\r')
    await terminal.waitForText('left 137')
  })
})

describe('Ctrl-Z', () => {
  test('suspends nothing in a terminal without a shell: Claude continues at once, every time', async () => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission()
    for (const word of ['first', 'second']) {
      const drawn = terminal.raw().length
      terminal.type(ctrlZ)
      await waitFor('Claude to suspend itself', () => terminal.raw().slice(drawn).includes('suspended'))
      await waitFor('Claude to draw its screen again', () =>
        terminal.raw().slice(drawn).split('suspended')[1]!.includes('?1049h'),
      )
      await say(terminal, `Go on. [[text The ${word} time.]]`)
      await terminal.waitForText(`The ${word} time.`)
      await box.ready(id)
    }
  })

  test('suspends wrapper and Claude under a shell, and fg continues both', async () => {
    const box = wrapperBox()
    const { id, terminal } = await missionUnderShell(box)
    const { wrapper_pid, claude_pid } = box.record(id)
    terminal.type(ctrlZ)
    await terminal.waitForText('Stopped')
    await waitFor('both to be suspended', () => [wrapper_pid!, claude_pid!].every(isSuspended))
    // The terminal may have answered a query that Claude did not come to read. Ctrl-U clears that from the shell's line.
    terminal.type('\u0015echo the shell $((40+2))\r')
    await terminal.waitForText('the shell 42')
    terminal.type('fg\r')
    await terminal.waitForText('Claude Code v')
    await say(terminal, 'Still there? [[text Still here.]]')
    await terminal.waitForText('Still here.')
    expect(box.record(id)).toMatchObject({ wrapper_pid, claude_pid })
  })

  test('leaves a mission that can be stopped from another terminal', async () => {
    const box = wrapperBox()
    box.agenc(['config', 'set', 'stop.grace_ms', '500'])
    const { id, terminal } = await missionUnderShell(box)
    const { wrapper_pid, claude_pid } = box.record(id)
    terminal.type(ctrlZ)
    await waitFor('both to be suspended', () => [wrapper_pid!, claude_pid!].every(isSuspended))
    expect((await box.agencAsync(['mission', 'stop', id])).exitCode).toBe(0)
    await untilGone(wrapper_pid, claude_pid)
    expect(box.record(id)).toMatchObject({ wrapper_pid: null, ended_by: 'user' })
    terminal.type('\u0015\recho the shell $((40+2))\r')
    await terminal.waitForText('the shell 42')
  })
})

describe('a mission ends cleanly and is recorded', () => {
  test.each([
    ['when its window is closed', ['kill-window', '-t', 'work'], 'user'],
    ['when the tmux server ends', ['kill-server'], 'lost'],
  ])('%s', async (_title, command, endedBy) => {
    const box = wrapperBox()
    const bench = tmuxBench({ box, sessions: ['other'] })
    bench.run('new-window', '-d', '-n', 'work', process.execPath, agencScript, 'mission', 'new', '--blank')
    const { id } = await waitFor('the mission', () => box.records()[0])
    await box.ready(id)
    const { wrapper_pid, claude_pid } = box.record(id)
    execFileSync('tmux', command, { env: box.env })
    await untilGone(wrapper_pid, claude_pid)
    expect(box.record(id)).toMatchObject({ wrapper_pid: null, exit_code: 129, ended_by: endedBy })
    const log = readFileSync(join(box.agencHome, 'missions', id, 'wrapper.log'), 'utf8')
    expect(log).toContain('SIGHUP: forward')
  })
})
