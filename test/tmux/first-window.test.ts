import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findProgram } from '../../src/system/find-program.ts'
import { agencScript } from '../helpers/cli.ts'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

const escapeKey = '\u001b'

/** Puts a program first on PATH, for the session too. */
function program(box: SessionBox, name: string, script: string): void {
  const path = join(box.root, 'bin', name)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
}

/** The answer of a tmux server that is shutting down. */
const goingDown = "echo 'server exited unexpectedly' >&2; exit 1"

test('attach starts a new server if the old one is shutting down', async () => {
  const box = sessionBox()
  const tmux = findProgram('tmux', box.env)
  program(
    box,
    'tmux',
    `case "$*" in *source-file*) ${tmux} has-session -t =agenc 2>/dev/null || { ${goingDown}; } ;; esac
    exec ${tmux} "$@"`,
  )
  const terminal = box.attach()
  await terminal.waitForText('(blank)')
  terminal.type(escapeKey)
  expect(await terminal.exited).toBe(0)
})

describe('when the picker is cancelled, the session ends and attach exits with 0', () => {
  test.each([
    ['by hand', ''],
    ['by hand, with remain-on-exit', 'set -g remain-on-exit on'],
  ])('%s', async (_title, tmuxConf) => {
    const box = sessionBox({ tmuxConf })
    const terminal = box.attach()
    await terminal.waitForText('(blank)')
    terminal.type(escapeKey)
    expect(await terminal.exited).toBe(0)
    expect(terminal.raw()).not.toMatch(/can't find|error|no server/)
    expect(box.missions()).toEqual([])
    expect(() => box.tmux('list-sessions')).toThrow(/no server|No such file/)
  })

  test.each([
    ['before source-file', 'source-file', ''],
    ['before attach-session', 'attach-session', ''],
    ['during source-file', 'source-file', goingDown],
  ])('%s', async (_title, command, answer) => {
    const box = sessionBox()
    const tmux = findProgram('tmux', box.env)
    program(box, 'fzf', 'exit 130')
    program(
      box,
      'tmux',
      `case "$*" in *new-session*) ;; *${command}*)
        if ${tmux} has-session -t =agenc 2>/dev/null; then
          while ${tmux} has-session -t =agenc 2>/dev/null; do sleep 0.02; done
          ${answer}
        fi ;;
      esac
      exec ${tmux} "$@"`,
    )
    const terminal = box.attach()
    expect(await terminal.exited).toBe(0)
    expect(terminal.screen()).toBe('')
  })

  test('and a client from another session returns there', async () => {
    const box = sessionBox()
    const terminal = openTerminal('tmux', ['new-session', '-s', 'mine', '/bin/sh'], { env: box.env })
    await terminal.waitForText('shell$')
    terminal.type(`${process.execPath} ${agencScript} tmux attach\r`)
    await terminal.waitForText('(blank)')
    terminal.type(escapeKey)
    await waitFor(
      'the end of the session',
      () => box.tmux('list-sessions', '-F', '#{session_name}') === 'mine\n',
    )
    expect(box.tmux('list-clients', '-F', '#{session_name}')).toBe('mine\n')
    await terminal.waitForText('shell$')
  })
})

test('if the first mission cannot start, the reason stays on the screen until Enter is pressed', async () => {
  const box = sessionBox()
  box.agenc(['config', 'set', 'claude.command', '/nowhere/claude'])
  const terminal = box.attach()
  await terminal.waitForText('/nowhere/claude')
  await terminal.waitForText('Press Enter to close this window')
  terminal.type('\r')
  expect(await terminal.exited).toBe(0)
  expect(box.missions()).toEqual([])
})
