import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultConfig } from '../../src/config/read.ts'
import { type Runner, systemRunner } from '../../src/system/runner.ts'
import { injectKeys } from '../../src/tmux/keys/inject.ts'
import { keyTable } from '../../src/tmux/keys/key-table.ts'
import { tmuxAt } from '../../src/tmux/tmux.ts'
import { line } from '../../src/tmux/tmux-script.ts'
import { sandbox } from '../helpers/cli.ts'
import { restoreKeys } from '../helpers/keys.ts'
import { type TmuxBench, tmuxBench } from '../helpers/tmux.ts'

/** Typical bindings of users, each a line of tmux.conf without the key. */
const originals: readonly [flags: string, command: string][] = [
  ['', 'display-message plain'],
  ['', 'display-message "two words"'],
  ['', `display-message "it's"`],
  ['', `display-message 'say "hi"'`],
  ['', `display-message 'say"hi'`],
  ['', `display-message 'back\\slash"and\\quote'`],
  ['', `display-message "back\\\\slash and \\"quote\\""`],
  ['', 'display-message "tab\\tline\\nend"'],
  ['', `display-message '$HOME ~ #{pane_id} #(date) %H %%'`],
  ['', `send-keys '~' '$HOME' '#' '{' '}' '%' '\\' "'" '"' ''`],
  ['', `send-keys '\\;'`],
  ['', '{ send-keys \\; }'],
  ['', '{ send-keys \\; \\; ; display-message after }'],
  ['', `{ send-keys 'a;' ';;' Enter ; send-keys ';' ; display-message after }`],
  ['', 'split-window -h \\; select-pane -L \\; display-message done'],
  ['', '{ split-window -h ; select-pane -L }'],
  ['', '{\n  split-window -h\n  select-pane -L\n}'],
  ['', '{\n  split-window -h ; select-pane -L\n  display-message "a ; b"\n}'],
  ['', '{ }'],
  ['-r', 'resize-pane -L 5'],
  ['-r -N "A note  of mine: it\'s \\"quoted\\""', 'resize-pane -R 5'],
  ['-N "with #{pane_id} and $HOME and ;"', 'last-window'],
  ['-N "é 你好 👍"', `display-message 'é 你好 👍'`],
  ['', `if-shell -F '#{==:a,b}' { display-message yes } { display-message "no;" }`],
  [
    '',
    `if-shell -F '#{==:a,b}' {\n display-message yes\n send-keys \\;\n} { send-keys ';;' ; display-message n }`,
  ],
  ['', `if-shell -F '#{m:*}*,x}' "display-message 'y;' ; send-keys x" 'display-message z'`],
  ['', `if-shell 'test -n "$TMUX"' { if-shell -F 1 { display-message "}" } } { run-shell 'true' }`],
  ['', `run-shell "printf '%s' \\"#{pane_id}\\"; true"`],
  ['', `run-shell -b 'for i in 1 2; do echo "$i"; done >/dev/null'`],
  [
    '',
    `display-menu -T "#[align=centre]Pick" "One" 1 { display-message one } "" "Two's" 2 "display-message 'two'"`,
  ],
  ['', `command-prompt -p "name:" "rename-window '%%'"`],
  ['', `command-prompt -1 -p "key:" { list-keys -1N "%%%" }`],
  ['', `confirm-before -p "kill #W? (y/n)" kill-window`],
  ['', `display-popup -E -w 80% -h 60% "printf 'a;b'; read x"`],
  ['', 'bind-key -T other x { send-keys y ; send-keys \\; }'],
  ['', `set-option -g status-left "#{?client_prefix,#[fg=red]P,} #S" \\; refresh-client -S`],
  ['', 'switch-client -T agenc'],
  ['', 'choose-tree -Zs -F "#{session_name}: #{?session_attached,(a),}"'],
]

const lettersAndDigits = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const keyOf = (index: number) => lettersAndDigits[index]!
const config = originals
  .map(([flags, command], index) => `bind-key ${flags} -T prefix ${keyOf(index)} ${command}`)
  .join('\n')

const nameOf = (command: string) => /[a-z]+-[a-z]+/.exec(command)?.[0] ?? ''

const bindings = keyTable(defaultConfig.tmux.keys, { agenc: ['/bin/true'] })

/** Everything that injecting keys may change, read in one call to tmux. */
function everything({ tmux }: TmuxBench): string {
  const notes = ['list-keys', '-N', '-P', '@', '-T', 'prefix']
  return tmux.tell(['list-keys'], notes, ['show-options', '-s'], ['show-options', '-t', '=agenc:']).join('\n')
}

test('every kind of binding is restored exactly', () => {
  const bench = tmuxBench({ config })
  const { tmux } = bench
  const before = everything(bench)
  originals.forEach(([, command], index) => {
    const key = keyOf(index)
    expect(before).toMatch(new RegExp(`-T prefix +${key} +${nameOf(command)}`))
    injectKeys(tmux, bindings, key)
    const injected = everything(bench)
    expect(injected).not.toBe(before)
    injectKeys(tmux, bindings, key)
    expect(everything(bench)).toBe(injected)
    restoreKeys(tmux)
    expect(everything(bench)).toBe(before)
  })
})

const ours = '#{==:#{session_name},agenc}'

test('when the prefix key changes, the binding of the old key is restored', () => {
  const odd = [...`;"#~{'\\-%é `, 'M-;', 'M-"', "M-'", 'M-\\', 'M-#', 'C-Space', 'F9']
  const noted = odd.map(key => line(['bind-key', '-N', `note of ${key}`, '--', key, 'display-message', key]))
  const bench = tmuxBench({ config: [config, ...noted].join('\n') })
  const { tmux } = bench
  const before = everything(bench)
  for (const key of odd) expect(before).toContain(`note of ${key}`)
  for (const key of ['a', 'n', ...odd, 'F8']) {
    injectKeys(tmux, bindings, key)
    expect(
      bench
        .run('list-keys')
        .split('\n')
        .filter(text => text.includes(ours)),
    ).toHaveLength(1)
  }
  restoreKeys(tmux)
  expect(everything(bench)).toBe(before)
})

test('a binding that the user has made since is kept', () => {
  const bench = tmuxBench({ config })
  const { tmux } = bench
  const binding = () => bench.run('list-keys', '-T', 'prefix', 'a')
  injectKeys(tmux, bindings, 'a')
  bench.run('bind-key', 'a', 'display-message', 'newer')
  const newer = binding()
  restoreKeys(tmux)
  expect(binding()).toBe(newer)

  injectKeys(tmux, bindings, 'a')
  bench.run('bind-key', 'a', 'display-message', 'newest')
  const newest = binding()
  injectKeys(tmux, bindings, 'a')
  expect(binding()).toContain(ours)
  restoreKeys(tmux)
  expect(binding()).toBe(newest)

  injectKeys(tmux, bindings, 'a')
  bench.run('unbind-key', 'a')
  restoreKeys(tmux)
  expect(bench.run('list-keys')).not.toContain(ours)
})

test('a binding that already looks like agenc’s own is restored too', () => {
  const bench = tmuxBench({
    config: `bind-key a if-shell -F '${ours}' 'switch-client -T agenc' 'send-keys a'`,
  })
  const { tmux } = bench
  const before = everything(bench)
  injectKeys(tmux, bindings, 'a')
  injectKeys(tmux, bindings, 'b')
  injectKeys(tmux, bindings, 'a')
  restoreKeys(tmux)
  expect(everything(bench)).toBe(before)
})

test('an empty prefix table is restored too', () => {
  const bench = tmuxBench({ config: 'unbind-key -a -T prefix' })
  const { tmux } = bench
  const before = bench.run('list-keys')
  injectKeys(tmux, bindings, 'a')
  injectKeys(tmux, bindings, 'b')
  expect(bench.run('list-keys', '-T', 'prefix')).toContain(ours)
  restoreKeys(tmux)
  expect(bench.run('list-keys')).toBe(before)
})

test('a binding that is longer than a tmux command line is restored too', () => {
  const bench = tmuxBench()
  const { tmux } = bench
  const long = 'one "two" '.repeat(2500)
  const conf = join(bench.box.root, 'long.conf')
  writeFileSync(conf, `bind-key a display-message '${long}'\n`)
  bench.run('source-file', conf)
  const before = everything(bench)
  injectKeys(tmux, bindings, 'a')
  injectKeys(tmux, bindings, 'a')
  restoreKeys(tmux)
  expect(everything(bench)).toBe(before)
  expect(before).toContain(long.slice(0, 3))
})

test('a binding that could not be restored is not replaced', () => {
  const bench = tmuxBench()
  const conf = join(bench.box.root, 'odd.conf')
  writeFileSync(conf, 'bind-key a { bind-key \\; last-pane }\n')
  bench.run('source-file', conf)
  const before = everything(bench)
  expect(() => injectKeys(bench.tmux, bindings, 'a')).toThrow(/tmux.prefix_key: "a" has a binding/)
  expect(everything(bench)).toBe(before)
})

test('needs three calls: to read, to write, and to prove that a binding can be restored', () => {
  const bench = tmuxBench({ config })
  const calls: string[][] = []
  const exec: Runner = {
    ...systemRunner,
    capture: (file, args, options) => {
      calls.push([...args])
      return systemRunner.capture(file, args, options)
    },
  }
  const tmux = tmuxAt(exec, bench.box.env, null)
  const count = (work: () => void) => {
    calls.length = 0
    work()
    return calls.length
  }
  expect(count(() => injectKeys(tmux, bindings, 'F9'))).toBe(2)
  expect(count(() => injectKeys(tmux, bindings, 'a'))).toBe(3)
  expect(count(() => injectKeys(tmux, bindings, 'a'))).toBe(2)
})

test('without a server there is nothing to do', () => {
  const box = sandbox()
  const tmux = tmuxAt(systemRunner, box.env, null)
  injectKeys(tmux, bindings, 'a')
  restoreKeys(tmux)
  expect(tmux.ask(['list-sessions']).kind).toBe('no-server')
})
