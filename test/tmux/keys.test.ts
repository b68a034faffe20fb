import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultConfig } from '../../src/config/read.ts'
import { newMissionId } from '../../src/mission-id.ts'
import { injectKeys } from '../../src/tmux/keys/inject.ts'
import { keyTable } from '../../src/tmux/keys/key-table.ts'
import { restoreKeys } from '../helpers/keys.ts'
import type { Terminal } from '../helpers/terminal.ts'
import { type TmuxBench, type TmuxBenchOptions, tmuxBench } from '../helpers/tmux.ts'
import { waitFor } from '../helpers/wait.ts'

const keys = defaultConfig.tmux.keys

/** A stand-in for agenc whose path contains characters that a shell or tmux would expand. */
const fakeAgenc = `#!/bin/sh
here=$(dirname "$0")
printf '%s|%s|%s|%s\\n' "$*" "\${NODE_EXTRA_CA_CERTS-unset}" "$AGENC_DIRPATH" "\${TMUX:+inside}" >>"$here/log"
case $2 in
  new | switch | resume)
    printf 'this is agenc %s, exit with? ' "$*"
    read -r code
    [ "$code" -eq 0 ] || echo "went wrong: $code" >&2
    exit "$code" ;;
esac
[ ! -e "$here/say" ] || cat "$here/say" >&2
echo 'not for the user'
[ ! -e "$here/say" ]
`

interface Bench extends TmuxBench {
  inject(prefixKey?: string, changed?: Partial<typeof keys>): void
  restore(): void
  /** The arguments of each call to the stand-in, one line per call. */
  calls(): string[]
  /** Makes the stand-in print this text and fail from now on. */
  say(text: string): void
  /** The files in the directory that tmux was started from. */
  files(): string[]
}

function bench(options: TmuxBenchOptions = {}): Bench {
  const server = tmuxBench(options)
  const directory = join(
    server.box.root,
    `o'dd "dir" $(touch ran) \`touch ran\` #(touch ran) #{session_name} %H \\`,
  )
  mkdirSync(directory)
  const script = join(directory, 'agenc;')
  writeFileSync(script, fakeAgenc)
  chmodSync(script, 0o755)
  const log = join(directory, 'log')
  return {
    ...server,
    inject: (prefixKey = 'a', changed = {}) =>
      injectKeys(server.tmux, keyTable({ ...keys, ...changed }, { agenc: ['/bin/sh', script] }), prefixKey),
    restore: () => restoreKeys(server.tmux),
    calls: () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []),
    say: text => writeFileSync(join(directory, 'say'), text),
    files: () => readdirSync(server.box.root),
  }
}

function tableOf({ run }: TmuxBench, terminal: Terminal): string {
  const clients = run('list-clients', '-F', '#{client_pid} #{client_key_table}').split('\n')
  return clients.find(line => line.startsWith(`${terminal.pid} `))!.split(' ')[1]!
}

async function press(server: TmuxBench, terminal: Terminal, key: string): Promise<void> {
  await pressPrefix(server, terminal)
  terminal.type('a')
  await waitFor('the table', () => tableOf(server, terminal) === 'agenc')
  terminal.type(key)
}

/** tmux takes keys that arrive too fast for pasted text. */
async function pressPrefix(server: TmuxBench, terminal: Terminal, key = '\u0002'): Promise<void> {
  terminal.type(key)
  await waitFor('the prefix', () => tableOf(server, terminal) === 'prefix')
}

const userConfig = 'bind-key a set-option -g @mine pressed'

test('the key opens the table in the agenc session, and keeps its meaning in every other session', async () => {
  const server = bench({ config: userConfig, sessions: ['agenc', 'agenc-x', 'work'] })
  server.inject()
  const agenc = await server.attach('agenc')
  await pressPrefix(server, agenc)
  agenc.type('a')
  await waitFor('the table', () => tableOf(server, agenc) === 'agenc')
  agenc.type('\u001b')
  await waitFor('the table closed', () => tableOf(server, agenc) === 'root')
  for (const session of ['work', 'agenc-x']) {
    expect(server.run('show-options', '-gqv', '@mine')).toBe('')
    const terminal = await server.attach(session)
    await pressPrefix(server, terminal)
    terminal.type('a')
    await waitFor("the user's binding", () => server.run('show-options', '-gqv', '@mine') === 'pressed')
    expect(tableOf(server, terminal)).toBe('root')
    server.run('set-option', '-gu', '@mine')
  }
})

test('in another session, the original binding has exactly the same effect', async () => {
  const commands = [
    `set-option -g @mine "it's; \\$HOME #{pane_id}"`,
    '{ set-option -g @mine \\; ; set-option -ga @mine "x;" }',
    `{\n set-option -g @mine 'a"b\\c'\n set-option -gaF @mine "#{session_name}"\n}`,
    `if-shell -F '#{==:#{session_name},agenc}' { set-option -g @mine no } { set-option -g @mine 'yes;' ; refresh-client }`,
    `if-shell 'test -n "$TMUX"' "set-option -g @mine 'in; it'"`,
    `run-shell -b 'tmux set-option -g @mine "#{session_name}; $((1 + 1))"'`,
    'send-keys -l "\\;" \\; run-shell -C "set-option -g @mine #{session_name}"',
  ]
  const letters = 'ABCDEFG'
  const config = commands.map((command, index) => `bind-key ${letters[index]} ${command}`).join('\n')
  const server = bench({ config, sessions: ['agenc', 'work'] })
  const terminal = await server.attach('work')
  const effectOf = async (key: string) => {
    server.run('set-option', '-g', '@mine', '')
    await pressPrefix(server, terminal)
    terminal.type(key)
    return waitFor(`an effect of ${server.run('list-keys', '-T', 'prefix', key)}`, () =>
      server.run('show-options', '-gv', '@mine'),
    )
  }
  for (const key of letters) {
    const before = await effectOf(key)
    server.inject(key)
    expect(await effectOf(key)).toBe(before)
  }
})

test('a popup closes when the picker is done or cancelled, and stays open if it fails', async () => {
  const server = bench({ config: 'set-environment -g NODE_EXTRA_CA_CERTS /certificates' })
  server.inject()
  const terminal = await server.attach()
  const isOpen = () => terminal.screen().includes('this is agenc')
  for (const [key, words] of [
    ['n', 'mission new'],
    ['s', 'tmux switch'],
    ['r', 'mission resume'],
  ] as const) {
    for (const code of ['0', '130']) {
      await press(server, terminal, key)
      await terminal.waitForText(`this is agenc ${words}, exit with?`)
      terminal.type(`${code}\r`)
      await waitFor('the popup closed', () => !isOpen())
    }
    await press(server, terminal, key)
    await terminal.waitForText('exit with?')
    terminal.type('78\r')
    await terminal.waitForText('went wrong: 78')
    await terminal.waitForText('Press Enter to close this.')
    terminal.type('\r')
    await waitFor('the popup closed', () => !isOpen())
  }
  expect(new Set(server.calls().map(call => call.split('|')[1]))).toEqual(new Set(['unset']))
  expect(server.files()).not.toContain('ran')
})

test('keys without a popup run in the background, and their output becomes a message', async () => {
  const server = bench()
  const home = server.box.agencHome
  server.inject()
  const terminal = await server.attach()
  await press(server, terminal, 'a')
  await waitFor('a call', () => server.calls().length === 1)
  server.say('agenc: 100% of #{session_name} #(touch ran) %H failed\nDo $(this) next.\n')
  await press(server, terminal, 'h')
  await terminal.waitForText('agenc: 100% of #{session_name} #(touch ran) %H failed Do $(this) next.')
  expect(server.calls()).toEqual([`tmux next|unset|${home}|inside`, `hold --toggle|unset|${home}|inside`])
  expect(terminal.screen()).not.toContain('not for the user')
  expect(terminal.screen()).not.toContain('returned')
  expect(server.run('display-message', '-p', '-t', '=agenc:', '#{pane_in_mode}')).toBe('0')
  expect(server.files()).not.toContain('ran')
})

test('fork, stop and editor act on the current mission, and the editor keeps the certificate settings', async () => {
  const server = bench({ config: 'set-environment -g NODE_EXTRA_CA_CERTS /certificates' })
  const mission = newMissionId()
  server.run('set-option', '-w', '-t', '=agenc:', '@agenc_mission_uuid', mission)
  server.inject()
  const terminal = await server.attach()
  await press(server, terminal, 'f')
  await waitFor('fork', () => server.calls().length === 1)
  await press(server, terminal, 'e')
  await waitFor('open', () => server.calls().length === 2)
  await press(server, terminal, 'x')
  await terminal.waitForText(`Stop mission ${mission.slice(0, 8)}? (y/n)`)
  terminal.type('n')
  await waitFor('no question', () => !terminal.screen().includes('Stop mission'))
  await press(server, terminal, 'x')
  await terminal.waitForText('Stop mission')
  server.run('set-option', '-w', '-t', '=agenc:', '@agenc_mission_uuid', newMissionId())
  terminal.type('y')
  await waitFor('stop', () => server.calls().length === 3)
  expect(server.calls().map(call => call.split('|').slice(0, 2))).toEqual([
    [`mission fork ${mission}`, 'unset'],
    [`mission open ${mission}`, '/certificates'],
    [`mission stop ${mission}`, 'unset'],
  ])
})

test('diff, review and the land menu are about the mission that was in view', async () => {
  const server = bench()
  const mission = newMissionId()
  server.run('set-option', '-w', '-t', '=agenc:', '@agenc_mission_uuid', mission)
  server.inject()
  const terminal = await server.attach()
  const hasClosed = () => waitFor('no popup', () => !/[┌┘]/.test(terminal.screen()))
  await press(server, terminal, 'v')
  await waitFor('diff', () => server.calls().length === 1)
  await hasClosed()
  await press(server, terminal, 'V')
  await terminal.waitForText('Press Enter to close this.')
  terminal.type('\r')
  await hasClosed()
  const entries = { v: 'diff', l: 'pull', s: 'pull', p: 'push', r: 'pr', b: 'sync', d: 'done' }
  for (const key of Object.keys(entries)) {
    server.run('set-option', '-w', '-t', '=agenc:', '@agenc_mission_uuid', mission)
    await press(server, terminal, 'l')
    await terminal.waitForText(`Land ${mission.slice(0, 8)}`)
    server.run('set-option', '-w', '-t', '=agenc:', '@agenc_mission_uuid', newMissionId())
    const calls = server.calls().length
    terminal.type(key)
    await waitFor('the call', () => server.calls().length > calls)
    if (key !== 'v') await terminal.waitForText('Press Enter to close this.')
    terminal.type('\r')
    await hasClosed()
  }
  expect(server.calls().map(call => call.split('|')[0])).toEqual([
    `mission diff ${mission}`,
    `mission review ${mission}`,
    `mission diff ${mission}`,
    `mission pull ${mission}`,
    `mission pull ${mission} --squash`,
    ...['push', 'pr', 'sync', 'done'].map(verb => `mission ${verb} ${mission}`),
  ])
  expect(server.files()).not.toContain('ran')
})

test('only a UUID is accepted as a mission', async () => {
  const server = bench()
  server.inject()
  const terminal = await server.attach()
  const hostile = [
    '',
    'x',
    "a-b-c-d-e'; touch ran; '",
    'a-b-c-d-e;touch ran',
    'a-b-c-d-e\ntouch ran',
    '#(touch ran)',
    '..',
  ]
  for (const value of hostile) {
    server.run('set-option', '-w', '-t', '=agenc:', '@agenc_mission_uuid', value)
    for (const key of ['f', 'x', 'e', 'v', 'l']) {
      await press(server, terminal, key)
      await terminal.waitForText('No mission in this window.')
      terminal.type(' ')
      await waitFor('no message', () => !terminal.screen().includes('No mission'))
    }
  }
  expect(server.calls()).toEqual([])
  expect(server.files()).not.toContain('ran')
})

test('the help menu lists the bound keys and runs the chosen one', async () => {
  const server = bench()
  server.inject('a', { new: 'C-n', fork: 'F5' })
  const terminal = await server.attach()
  await press(server, terminal, '?')
  const screen = await terminal.waitForText('New mission')
  expect(screen).toMatch(/New mission +\(C-n\)/)
  expect(screen).toMatch(/Fork this mission +\(F5\)/)
  for (const text of [
    'Switch to',
    'Resume',
    'Next waiting mission',
    'Stop this',
    'Open the editor',
    'Hold all',
    'Detach',
  ])
    expect(screen).toContain(text)
  terminal.type('\u000e')
  await terminal.waitForText('this is agenc mission new')
  terminal.type('0\r')
  await waitFor('the popup closed', () => !terminal.screen().includes('this is agenc'))
  await press(server, terminal, '?')
  await terminal.waitForText('Detach')
  terminal.type('d')
  expect(await terminal.exited).toBe(0)
})

test('works with another prefix, base-index 1 and the mouse', async () => {
  const config = 'set -g prefix C-a\nunbind C-b\nbind C-a send-prefix\nset -g base-index 1\nset -g mouse on'
  const server = bench({ config, sessions: ['agenc', 'work'] })
  const before = server.run('list-keys')
  server.inject('C-a')
  const terminal = await server.attach()
  await pressPrefix(server, terminal, '\u0001')
  terminal.type('\u0001')
  await waitFor('the table', () => tableOf(server, terminal) === 'agenc')
  terminal.type('a')
  await waitFor('a call', () => server.calls().length === 1)
  const work = await server.attach('work')
  await pressPrefix(server, work, '\u0001')
  work.type('\u0001')
  await work.waitForText('^A')
  server.restore()
  expect(server.run('list-keys')).toBe(before)
})

test('an original binding that repeats still repeats in other sessions, and does not affect agenc’s table', async () => {
  const config = 'bind-key -r a set-option -gF @mine "#{@mine}x"\nset -g repeat-time 30000'
  const server = bench({ config, sessions: ['agenc', 'work'] })
  server.inject()
  const work = await server.attach('work')
  await pressPrefix(server, work)
  for (const times of ['x', 'xx', 'xxx']) {
    work.type('a')
    await waitFor(times, () => server.run('show-options', '-gqv', '@mine') === times)
  }
  const terminal = await server.attach('agenc')
  await press(server, terminal, 'a')
  await waitFor('a call', () => server.calls().length === 1)
  server.restore()
  expect(server.run('show-options', '-t', '=agenc:', '-qv', 'repeat-time')).toBe('')
})
