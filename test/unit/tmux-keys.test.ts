import { describe, expect, test } from 'vitest'
import { defaultConfig } from '../../src/config/read.ts'
import { keyTable } from '../../src/tmux/keys/key-table.ts'
import { parseBinding, parseKept, parseNote, readable } from '../../src/tmux/keys/read-keys.ts'
import { bindCommand, bindText, line } from '../../src/tmux/tmux-script.ts'

const names = new Set(['display-message', 'send-keys', 'if-shell'])

describe('the output of list-keys is turned into a script that tmux reads', () => {
  test.each([
    ['send-keys a \\; display-message b', 'send-keys a ; display-message b'],
    ['send-keys \\;', 'send-keys \\;'],
    ['send-keys \\; \\; display-message b', 'send-keys \\; ; display-message b'],
    ['send-keys a \\;\\; display-message b', 'send-keys a \n display-message b'],
    ['send-keys "a \\; send-keys" \\; send-keys b', 'send-keys "a \\; send-keys" ; send-keys b'],
    ['if-shell 1 { send-keys \\; ;; send-keys b }', 'if-shell 1 { send-keys \\; \n send-keys b }'],
    ['if-shell 1 { send-keys ";;" } \\; send-keys \\}', 'if-shell 1 { send-keys ";;" } ; send-keys \\}'],
    [`display-message 'a"b\\\\c'`, 'display-message "a\\"b\\\\c"'],
    [`display-message "it's" \\; display-message "it's"`, `display-message "it's" ; display-message "it's"`],
    ['', ''],
  ])('%s', (listed, read) => expect(readable(listed, names)).toBe(read))
})

test('bindings and notes are parsed from lines of list-keys', () => {
  expect(parseBinding('bind-key -r -T prefix       C-Up    resize-pane -U')).toEqual({
    table: 'prefix',
    key: 'C-Up',
    repeat: true,
    command: 'resize-pane -U',
  })
  expect(parseBinding('bind-key  -T prefix \\; last-pane')).toMatchObject({ key: '\\;', repeat: false })
  expect(parseBinding('bind-key    -T prefix a ')).toMatchObject({ key: 'a', command: '' })
  expect(parseBinding('C-b')).toBeNull()
  expect(parseNote("@b       it's  a note")).toEqual({ key: 'b', note: "it's  a note" })
  expect(parseNote('@ b note')).toEqual({ key: 'b', note: 'note' })
})

test('a broken record of a replaced key is ignored', () => {
  for (const text of ['', '{', '{"key":1}', 'null']) expect(parseKept(text)).toBeNull()
  expect(parseKept('{"key":"a","original":null}')).toEqual({ key: 'a', original: null })
})

test('words are quoted and blocks are written for a tmux script', () => {
  expect(line(['display-message', "it's", ''])).toBe(`display-message 'it'\\''s' ''`)
  expect(bindCommand({ table: 'agenc', key: ';' }, ['send-keys', 'a;'])).toBe(
    `bind-key -T agenc -- ';' send-keys 'a\\;'`,
  )
  expect(bindText({ table: 'agenc', key: 'a', repeat: true, note: 'n' }, 'send-keys a\nsend-keys b')).toBe(
    'bind-key -r -N n -T agenc -- a {\nsend-keys a\nsend-keys b\n}',
  )
})

describe('the key table', () => {
  const agenc = ['/opt/node', '/opt/agenc.cjs']
  const bindings = keyTable(defaultConfig.tmux.keys, { agenc, switch: ['/bin/sh', '/opt/switch.sh'] })
  const command = (name: string) => bindings.find(({ setting }) => setting === `tmux.keys.${name}`)!.command

  test('has every key of the settings once', () => {
    const keys = Object.fromEntries(bindings.map(({ setting, key }) => [setting.split('.')[2], key]))
    expect(keys).toEqual(defaultConfig.tmux.keys)
  })

  test('passes programs to popups as separate words', () => {
    const popups = (name: string) => command(name).slice(-2)
    const sizes = ["-w '80%' -h '60%'", "-w '95%' -h '95%'"]
    for (const [index, size] of sizes.entries()) {
      expect(popups('new')[index]).toMatch(/^display-popup -E /)
      expect(popups('new')[index]).toContain(size)
      expect(popups('new')[index]).toMatch(/ agenc \/opt\/node \/opt\/agenc.cjs mission new$/)
      expect(popups('resume')[index]).toMatch(/ agenc \/opt\/node \/opt\/agenc.cjs mission resume$/)
      expect(popups('switch')[index]).toMatch(/ agenc \/bin\/sh \/opt\/switch.sh$/)
    }
  })

  test('lists every other key in the help menu', () => {
    const entries = command('help').slice(7)
    expect(entries).toHaveLength(3 * (bindings.length - 1))
    expect(entries.slice(0, 2)).toEqual(['New mission', 'n'])
  })
})
