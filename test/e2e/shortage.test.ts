import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agencScript, type Sandbox, sandbox } from '../helpers/cli.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { wrapperBox } from '../helpers/wrapper-box.ts'

const limited = 'ulimit -n "$1"; shift; exec "$@"'

function withFewFiles(box: Sandbox, files: number, args: string[]) {
  const command = ['-c', limited, 'sh', String(files), process.execPath, agencScript, ...args]
  return spawnSync('/bin/sh', command, { env: box.env, cwd: box.root, encoding: 'utf8' })
}

/** With the fewest, Node cannot read the script and prints the cause itself; with the most, everything may work. */
const limits = [20, 21, 22, 23, 24, 25, 26, 28, 30, 32, 36]

test.each([[['mission', 'ls']], [['repo', 'update']], [['tmux', 'restore']]])(
  '%j says that too many files are open, and what to do',
  args => {
    const box = sandbox()
    const source = join(box.root, 'source')
    mkdirSync(source)
    spawnSync('git', ['init', '-q', source], { env: box.env })
    expect(box.agenc(['repo', 'add', source, '--no-trust']).exitCode).toBe(0)
    const ran = limits.map(limit => withFewFiles(box, limit, args))
    const failed = ran.filter(({ status, stderr }) => status !== 0 && stderr.includes('agenc:'))
    expect(failed.length).toBeGreaterThan(0)
    for (const { stderr } of failed) {
      expect(stderr).toMatch(/too many open files/i)
      expect(stderr).toContain('ulimit -n')
      expect(stderr).not.toContain('AGENC_DEBUG')
    }
  },
)

test('doctor names it instead of giving up', () => {
  const box = sandbox()
  box.agenc(['config', 'set', 'stop.grace_ms', '1234'])
  const ran = limits.map(limit => withFewFiles(box, limit, ['doctor', '--json']))
  const answers = ran.filter(({ stdout }) => stdout !== '')
  expect(answers.length).toBeGreaterThan(0)
  for (const { stdout, stderr } of answers) {
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toContainEqual({
      check: 'open-files',
      status: 'problem',
      message: 'too many open files',
      remedy: expect.stringContaining('ulimit -n'),
    })
  }
})

test('a wrapper names it on its screen', async () => {
  const box = wrapperBox()
  const screens: string[] = []
  for (const limit of [22, 24, 25, 26, 27]) {
    const command = ['-c', limited, 'sh', String(limit), process.execPath, agencScript]
    const terminal = openTerminal('/bin/sh', [...command, 'mission', 'new', '--blank'], {
      env: box.env,
      cwd: box.root,
    })
    await Promise.race([terminal.waitForText('q: close'), terminal.exited])
    screens.push(terminal.screen().replaceAll('\n', ''))
    terminal.type('q')
    await terminal.exited
  }
  const explained = screens.filter(screen => screen.includes('agenc: '))
  expect(explained.length).toBeGreaterThan(0)
  for (const screen of explained) {
    expect(screen).toMatch(/too many open files/i)
    expect(screen).toContain('ulimit -n')
  }
})
