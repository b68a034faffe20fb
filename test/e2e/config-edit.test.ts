import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agencScript, type Sandbox, sandbox } from '../helpers/cli.ts'
import { openTerminal, type Terminal } from '../helpers/terminal.ts'

interface Desk extends Sandbox {
  file: string
  edit(): Terminal
  /** The arguments that the editor was started with, one line per start. */
  calls(): string[]
}

/** An $EDITOR that runs the next action at each start. An action is a line of sh with the file as `$f`. */
function desk(text: string | null, ...actions: string[]): Desk {
  const box = sandbox()
  const file = join(box.agencHome, 'config.json')
  if (text !== null) {
    mkdirSync(box.agencHome, { mode: 0o700 })
    writeFileSync(file, text, { mode: 0o600 })
  }
  const editor = join(box.root, 'my editor')
  const log = join(box.root, 'calls')
  const cases = actions.map((action, index) => `${index + 1}) ${action} ;;`).join('\n')
  writeFileSync(
    editor,
    `#!/bin/sh\nfor f; do :; done\necho "$#" "$1" >>'${log}'\ncase $(wc -l <'${log}' | tr -d ' ') in\n${cases}\nesac\n`,
    { mode: 0o755 },
  )
  return {
    ...box,
    file,
    edit: () =>
      openTerminal(process.execPath, [agencScript, 'config', 'edit'], {
        env: { ...box.env, EDITOR: `'${editor}' --wait`, VISUAL: '' },
        cwd: box.root,
      }),
    calls: () => readFileSync(log, 'utf8').trim().split('\n'),
  }
}

const opus = `{ "claude": { "model": "opus" } }\n`
const write = (text: string) => `printf '%s' '${text}' >"$f"`

function leftovers({ agencHome }: Sandbox): string[] {
  return readdirSync(agencHome).filter(name => !/^config\.(|schema\.|prepared\.)json$/.test(name))
}

test('the saved text replaces the file; the editor gets its arguments and a schema beside the copy', async () => {
  const box = desk(opus, `test -f "\${f%/*}/config.schema.json" && ${write('{ "stop": { "grace_ms": 7 } }')}`)
  expect(await box.edit().exited).toBe(0)
  expect(readFileSync(box.file, 'utf8')).toBe('{ "stop": { "grace_ms": 7 } }')
  expect(box.calls()).toEqual(['2 --wait'])
  expect(leftovers(box)).toEqual([])
})

test('the first edit starts from a template', async () => {
  const box = desk(null, `grep -q schema "$f" && ${write('{}')}`)
  expect(await box.edit().exited).toBe(0)
  expect(readFileSync(box.file, 'utf8')).toBe('{}')
})

test('nothing is written if nothing was changed', async () => {
  const box = desk(null, ':')
  const terminal = box.edit()
  expect(await terminal.exited).toBe(0)
  await terminal.waitForText('Nothing changed.')
  expect(existsSync(box.file)).toBe(false)
})

test('a mistake is shown and can be fixed', async () => {
  const box = desk(opus, write('{ "claude": { "modle": 1 } }'), write('{ "claude": { "model": "x" } }'))
  const terminal = box.edit()
  await terminal.waitForText('line 1: claude.modle unknown key; did you mean claude.model?')
  await terminal.waitForText('Edit again?')
  expect(readFileSync(box.file, 'utf8')).toBe(opus)
  terminal.type('\r')
  expect(await terminal.exited).toBe(0)
  expect(JSON.parse(readFileSync(box.file, 'utf8'))).toEqual({ claude: { model: 'x' } })
  expect(box.calls()).toHaveLength(2)
})

test.each([
  ['n\r', 'no'],
  ['\u0003', 'Ctrl-C'],
  ['\u001b', 'Esc'],
])('giving up on a mistake (%j, %s) changes nothing and exits with 130', async keys => {
  const box = desk(opus, write('{ "x": '))
  const terminal = box.edit()
  await terminal.waitForText('Edit again?')
  terminal.type(keys)
  expect(await terminal.exited).toBe(130)
  expect(readFileSync(box.file, 'utf8')).toBe(opus)
  expect(leftovers(box)).toEqual([])
})

test.each(['SIGTERM', 'SIGHUP'] as const)(
  '%s at the question puts the terminal back in order and leaves nothing',
  async signal => {
    const box = desk(opus, write('{ "x": '))
    const [before, after, pid] = ['before', 'after', 'pid'].map(name => join(box.root, name)) as [
      string,
      string,
      string,
    ]
    const script = `stty -g >"${before}"; sh -c 'echo $$ >"${pid}"; exec "$@"' sh "$@"; code=$?; stty -g >"${after}"; exit $code`
    const terminal = openTerminal(
      '/bin/sh',
      ['-c', script, 'sh', process.execPath, agencScript, 'config', 'edit'],
      {
        env: { ...box.env, EDITOR: `'${join(box.root, 'my editor')}'`, VISUAL: '' },
      },
    )
    await terminal.waitForText('Edit again?')
    process.kill(Number(readFileSync(pid, 'utf8')), signal)
    expect(await terminal.exited).toBe(128 + constants.signals[signal])
    expect(readFileSync(after, 'utf8')).toBe(readFileSync(before, 'utf8'))
    expect(leftovers(box)).toEqual([])
  },
)

test('a file that is already broken can be fixed', async () => {
  const box = desk('{ broken', ':', write('{}'))
  const terminal = box.edit()
  await terminal.waitForText('Edit again?')
  terminal.type('\r')
  expect(await terminal.exited).toBe(0)
  expect(readFileSync(box.file, 'utf8')).toBe('{}')
})

test('if the file was changed meanwhile, neither version is lost', async () => {
  const box = desk(opus)
  const other = '{ "claude": { "model": "theirs" } }'
  const mine = '{ "claude": { "model": "mine" } }'
  const conflicting = desk(opus, `printf '%s' '${other}' >'${box.file}'; ${write(mine)}`)
  const editor = join(conflicting.root, 'my editor')
  const terminal = openTerminal(process.execPath, [agencScript, 'config', 'edit'], {
    env: { ...box.env, EDITOR: `"${editor}"`, VISUAL: '' },
  })
  expect(await terminal.exited).toBe(1)
  await terminal.waitForText('config.json.edited')
  expect(readFileSync(box.file, 'utf8')).toBe(other)
  expect(readFileSync(`${box.file}.edited`, 'utf8')).toBe(mine)
})

test('an editor that fails or is missing changes nothing', async () => {
  const box = desk(opus, `${write('{}')}; exit 3`)
  const failed = box.edit()
  expect(await failed.exited).toBe(1)
  await failed.waitForText('failed')
  expect(readFileSync(box.file, 'utf8')).toBe(opus)
  const missing = openTerminal(process.execPath, [agencScript, 'config', 'edit'], {
    env: { ...box.env, VISUAL: 'no-such-editor' },
  })
  expect(await missing.exited).toBe(1)
  await missing.waitForText('the editor no-such-editor is not installed')
  expect(leftovers(box)).toEqual([])
})

test('without a terminal it is a usage error', () => {
  const { agenc } = sandbox()
  expect(agenc(['config', 'edit'])).toMatchObject({ exitCode: 64, stdout: '' })
})
