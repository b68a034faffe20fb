import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defaultConfig } from '../../src/config/read.ts'
import { ExitCode } from '../../src/errors.ts'
import { injectKeys } from '../../src/tmux/keys/inject.ts'
import { keyTable } from '../../src/tmux/keys/key-table.ts'
import { line } from '../../src/tmux/tmux-script.ts'
import { tmuxBench } from '../helpers/tmux.ts'

const keys = defaultConfig.tmux.keys

const refused: readonly [settings: { prefix?: string } & Partial<typeof keys>, message: string][] = [
  [{ new: 'ab' }, 'tmux.keys.new: "ab" is not a key that tmux knows'],
  [{ new: '' }, 'tmux.keys.new: "" is not a key that tmux knows'],
  [{ fork: '-r' }, 'tmux.keys.fork: "-r" is not a key that tmux knows'],
  [{ stop: 'C-a b' }, 'tmux.keys.stop: "C-a b" is not a key that tmux knows'],
  [{ stop: 'None' }, 'tmux.keys.stop: "None" is not a key that tmux knows'],
  [{ stop: '👍🏽' }, 'tmux.keys.stop: "👍🏽" is not a key that tmux knows'],
  [{ help: '#(touch x)' }, 'tmux.keys.help: "#(touch x)" is not a key that tmux knows'],
  [{ prefix: 'hello' }, 'tmux.prefix_key: "hello" is not a key that tmux knows'],
  [{ new: 'C-m' }, 'tmux.keys.new: "C-m" is what a terminal sends for Enter'],
  [{ new: '^I' }, 'tmux.keys.new: "^I" is what a terminal sends for Tab'],
  [{ prefix: 'c-[' }, 'tmux.prefix_key: "c-[" is what a terminal sends for Escape'],
  [{ new: 'Any' }, 'tmux.keys.new: "Any" stands for every key'],
  [{ fork: 'n' }, 'tmux.keys.fork: "n" is already the key of tmux.keys.new'],
  [{ new: 'PageUp', fork: 'ppage' }, 'tmux.keys.fork: "ppage" is already the key of tmux.keys.new'],
  [{ hold: 'C-b' }, `tmux.keys.hold: "C-b" is tmux's own prefix`],
  [{ hold: '^o' }, `tmux.keys.hold: "^o" is tmux's own prefix`],
]

test('an impossible or conflicting key is named in the error, and nothing changes', () => {
  const { tmux, run } = tmuxBench({ config: 'set -g prefix2 C-o' })
  const before = run('list-keys')
  for (const [{ prefix = 'a', ...changed }, message] of refused) {
    const inject = () => injectKeys(tmux, keyTable({ ...keys, ...changed }, { agenc: ['/bin/true'] }), prefix)
    expect(inject).toThrow(expect.objectContaining({ message, exitCode: ExitCode.config }))
    expect(run('list-keys')).toBe(before)
  }
})

test('keys that tmux knows by another name are accepted', () => {
  const { tmux, run } = tmuxBench()
  const changed = {
    new: 'Enter',
    switch: 'c-space',
    resume: ';',
    next: '#',
    fork: '"',
    stop: '-',
    editor: 'é',
  }
  injectKeys(tmux, keyTable({ ...keys, ...changed }, { agenc: ['/bin/true'] }), 'C-b')
  expect(run('list-keys', '-T', 'agenc').split('\n')).toHaveLength(Object.keys(keys).length)
})

test('tmux reads any quoted text as one argument', () => {
  const { tmux } = tmuxBench()
  const special = fc.constantFrom(...`'"\\;#$~{}%()[]*?!&|<>=\`^ \té👍`)
  const word = fc.array(fc.oneof(special, fc.constantFrom('a', 'HOME', '-')), { minLength: 1 })
  const words = fc.sample(word, 300).map(parts => parts.join(''))
  const script = words.map((text, index) => line(['set-option', '-s', `@word${index}`, text]))
  const asked = words.map((_, index) => line(['show-options', '-sv', `@word${index}`]))
  expect(tmux.source([...script, ...asked])).toEqual({ lines: words, errors: [] })
})
