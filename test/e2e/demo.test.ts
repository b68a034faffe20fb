import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { placeAt } from '../../src/demo/demo-place.ts'
import { agencScript, projectRoot, type Sandbox, sandbox } from '../helpers/cli.ts'
import { needOrdinaryUser } from '../helpers/needs.ts'
import { pathWithout } from '../helpers/path-without.ts'
import { openTerminal, type Terminal } from '../helpers/terminal.ts'
import { tmuxBench } from '../helpers/tmux.ts'
import { waitFor } from '../helpers/wait.ts'

/** A machine that shows every file and process that the demo creates. */
function machine(): Sandbox & { leftovers(): string[] } {
  const box = sandbox()
  const scratch = join(box.root, 'scratch')
  mkdirSync(scratch)
  box.env.TMPDIR = scratch
  // If a test fails, its demo still cleans up, and needs its directory for that.
  onTestFinished(async () => {
    await waitFor('the demo to be gone', () => processesIn(scratch).length === 0)
  })
  return {
    ...box,
    leftovers: () => [...readdirSync(scratch), ...processesIn(scratch).map(describeProcess)],
  }
}

function describeProcess(pid: string): string {
  try {
    return `process ${pid}: ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`
  } catch {
    return `process ${pid}, gone by now`
  }
}

/** Processes that run below a directory, or have it in their environment. */
function processesIn(directory: string): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(pid => {
      try {
        const texts = [readlinkSync(`/proc/${pid}/cwd`), readFileSync(`/proc/${pid}/environ`, 'utf8')]
        return texts.some(text => text.includes(`${directory}/`))
      } catch {
        return false
      }
    })
}

function enter(box: Sandbox, env: NodeJS.ProcessEnv = {}, size = { columns: 100, rows: 32 }): Terminal {
  return openTerminal(process.execPath, [agencScript, 'demo'], { env: { ...box.env, ...env }, ...size })
}

/** Leaves the demo at once. */
async function peek(terminal: Terminal, prefix: string, name: string): Promise<void> {
  await terminal.waitForText(`Step 1 of 6: press ${name} a n`)
  terminal.type(`${prefix}ad`)
}

/** Walks through the tour with the keys that it asks for. */
async function walk(terminal: Terminal): Promise<void> {
  const press = (key: string) => terminal.type(`\u0002a${key}`)
  await terminal.waitForText('Step 1 of 6: press C-b a n')
  press('n')
  await terminal.waitForText('(blank)')
  terminal.type('lemon')
  // Enter before fzf has filtered would pick something else.
  await terminal.waitForText(/lemon\s+< 1\/\d/)
  terminal.type('\r')
  await terminal.waitForText('Step 2 of 6: press C-b a a')
  await terminal.waitForText(/\?forecast/)
  press('a')
  await terminal.waitForText('Do you want to proceed?')
  terminal.type('1')
  await terminal.waitForText('Step 4 of 6: press C-b a f')
  press('f')
  await terminal.waitForText('Step 5 of 6')
  terminal.type('/exit')
  terminal.type('\r')
  await waitFor('to be back', () => !terminal.screen().includes('Step 5 of 6'))
  await terminal.waitForText('Step 6 of 6, back here: press C-b a d')
  press('d')
}

describe('in a terminal', () => {
  test('the tour works as it says, and leaves nothing behind', async () => {
    const box = machine()
    const terminal = enter(box)
    await walk(terminal)
    expect(await terminal.exited).toBe(0)
    expect(terminal.screen()).toContain('agenc setup')
    expect(box.leftovers()).toEqual([])
    expect(existsSync(box.agencHome)).toBe(false)
    expect(readdirSync(box.home)).toEqual([])
  })

  test("it uses the user's own prefix", async () => {
    const box = machine()
    writeFileSync(join(box.home, '.tmux.conf'), 'set -g prefix C-g\n')
    const terminal = enter(box)
    await peek(terminal, '\u0007', 'C-g')
    expect(await terminal.exited).toBe(0)
    expect(box.leftovers()).toEqual([])
  })

  test('inside another tmux, it uses a different prefix', async () => {
    const box = machine()
    const bench = tmuxBench({ box, sessions: ['mine'] })
    const terminal = await bench.attach('mine', { columns: 110, rows: 34 })
    bench.run('new-window', '-t', 'mine:', process.execPath, agencScript, 'demo')
    await terminal.waitForText('Your own tmux takes C-b')
    await peek(terminal, '\u0001', 'C-a')
    await waitFor(
      'the window to close',
      () => bench.run('list-windows', '-t', 'mine').split('\n').length === 1,
    )
    expect(box.leftovers()).toEqual([])
  })
})

test('it fails with a clear error in a terminal that tmux does not know', async () => {
  const box = machine()
  const command = ['TERM=no-such-terminal', process.execPath, agencScript, 'demo']
  const terminal = openTerminal('env', command, { env: box.env })
  expect(await terminal.exited).toBe(1)
  expect(terminal.screen()).toContain('agenc: the demo could not be shown: tmux could not attach')
  expect(terminal.screen()).toContain('agenc demo --play')
  expect(terminal.screen()).not.toMatch(/by hand|The demo is over/)
  expect(box.leftovers()).toEqual([])
})

describe('it leaves nothing behind after', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s', async signal => {
    const box = machine()
    const terminal = enter(box)
    await terminal.waitForText('Step 1 of 6')
    process.kill(terminal.pid, signal)
    expect(await terminal.exited).toBe(130)
    expect(box.leftovers()).toEqual([])
  })

  test('Ctrl-C during set-up', async () => {
    const box = machine()
    const terminal = enter(box)
    await waitFor('the directory', () => readdirSync(box.env.TMPDIR!).length > 0)
    terminal.type('\u0003')
    expect(await terminal.exited).toBe(130)
    await waitFor('everything to be gone', () => box.leftovers().length === 0)
  })

  test('kill -9', async () => {
    const box = machine()
    const terminal = enter(box)
    await terminal.waitForText('Step 1 of 6')
    process.kill(terminal.pid, 'SIGKILL')
    await terminal.exited
    await waitFor('everything to be gone', () => box.leftovers().length === 0)
  })

  test('closing the terminal', async () => {
    const box = machine()
    const bench = tmuxBench({ box, sessions: ['mine', 'other'] })
    bench.run('new-window', '-d', '-n', 'demo', '-t', 'mine:', process.execPath, agencScript, 'demo')
    await waitFor('the tour', () =>
      bench.run('capture-pane', '-p', '-t', 'mine:demo').includes('Step 1 of 6'),
    )
    bench.run('kill-window', '-t', 'mine:demo')
    await waitFor('everything to be gone', () => box.leftovers().length === 0)
  })
})

/** A directory in which only the marker of a demo is left. */
function remnant(box: Sandbox) {
  const root = join(box.root, 'remnant')
  mkdirSync(root)
  writeFileSync(join(root, '.agenc-demo'), '')
  return placeAt(root, box.env)
}

describe('removing a demo ends no other tmux server', () => {
  test('when the socket is missing, and tmux would use the default server', () => {
    const box = sandbox()
    const { root } = remnant(box)
    const bin = join(box.root, 'bin')
    const log = join(box.root, 'log')
    mkdirSync(bin)
    writeFileSync(join(bin, 'tmux'), `#!/bin/sh\necho "$@" >>'${log}'\nexit 1\n`)
    chmodSync(join(bin, 'tmux'), 0o755)
    const done = box.agenc(['demo', '--clear', root], { env: { PATH: `${bin}:${box.env.PATH}` } })
    expect(done).toMatchObject({ exitCode: 0, stderr: '' })
    expect(existsSync(log)).toBe(false)
    expect(existsSync(root)).toBe(false)
  })

  test('when the socket is a link to another server', () => {
    const box = sandbox()
    const bench = tmuxBench({ box, sessions: ['mine'] })
    const { root, tmuxSocket } = remnant(box)
    mkdirSync(dirname(tmuxSocket), { recursive: true, mode: 0o700 })
    symlinkSync(bench.run('display-message', '-p', '#{socket_path}'), tmuxSocket)
    expect(box.agenc(['demo', '--clear', root]).exitCode).toBe(0)
    expect(bench.run('list-sessions', '-F', '#{session_name}')).toBe('mine')
    expect(existsSync(root)).toBe(false)
  })
})

test('what cannot be removed keeps its marker', context => {
  needOrdinaryUser(context)
  const box = sandbox()
  const { root, home } = remnant(box)
  mkdirSync(join(home, 'held'), { recursive: true })
  writeFileSync(join(home, 'held', 'file'), '')
  chmodSync(join(home, 'held'), 0o500)
  onTestFinished(() => chmodSync(join(home, 'held'), 0o700))
  expect(box.agenc(['demo', '--clear', root]).exitCode).toBe(1)
  expect(existsSync(join(root, '.agenc-demo'))).toBe(true)
})

describe('playing by itself', () => {
  test('--play --json prints every screen with its caption', async () => {
    const box = machine()
    const shots = box.agencJson<{ caption: string; screen: string }[]>(['demo', '--play'])
    expect(shots.map(({ caption }) => caption.split(':')[0])).toEqual([
      'The agenc session',
      'C-b a n',
      'Enter',
      'C-b a a',
      '1',
      'C-b a s',
      'C-b a f',
      '/exit',
    ])
    const [first, picker, , waiting, , switcher, fork, back] = shots.map(({ screen }) => screen)
    expect(first).toMatch(/Step 1 of 6[\s\S]*\?forecast/)
    expect(picker).toMatch(/┌─+┐[\s\S]*weather[\s\S]*lemonade/)
    expect(waiting).toContain('Do you want to proceed?')
    expect(switcher).toMatch(/[·✓] forecast +\S*weather +\d+s/)
    expect(fork).toContain('Where am I now?')
    expect(back).not.toContain('Where am I now?')
    expect(box.leftovers()).toEqual([])
  })

  test('prints plain text without a terminal, fzf and UTF-8', async () => {
    const box = machine()
    const env = { PATH: pathWithout(box.env.PATH!, ['fzf']), LC_ALL: 'C', LANG: 'C' }
    const done = box.agenc(['demo'], { env })
    expect(done.stderr).toContain('agenc setup')
    expect(done.exitCode).toBe(0)
    expect(done.stdout).toMatch(/^The agenc session.*\n-{100}\n/)
    expect(done.stdout).toContain('/exit: the window closes')
    expect(done.stdout).toMatch(/^[\n -~]*$/)
    expect(box.leftovers()).toEqual([])
  })

  test('prints colours on a narrow terminal', async () => {
    const box = machine()
    const env = { ...box.env, NO_COLOR: '' }
    const terminal = openTerminal(process.execPath, [agencScript, 'demo', '--play'], { env, columns: 40 })
    expect(await terminal.exited).toBe(0)
    expect(terminal.raw()).toContain('\u001b[38;5;')
    expect(terminal.raw()).toContain('/exit')
    expect(box.leftovers()).toEqual([])
  })

  test('cleans up when its output is closed early', async () => {
    const box = machine()
    const child = spawn(process.execPath, [agencScript, 'demo', '--play'], {
      env: box.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await once(child.stdout, 'data')
    child.stdout.destroy()
    await once(child, 'exit')
    expect(box.leftovers()).toEqual([])
  })
})

test('npm start without Claude Code and a terminal plays the demo and prints the next steps', async () => {
  const box = machine()
  const env = { ...box.env, PATH: pathWithout(box.env.PATH!, ['claude']) }
  const script = join(projectRoot, 'scripts', 'start.mjs')
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => (output += text))
  const [exitCode] = await once(child, 'close')
  expect(exitCode, output).toBe(0)
  expect(output).toContain('Claude Code is not installed')
  expect(output).toContain('The agenc session: every window is a mission')
  expect(output).toContain('npm install -g .')
  expect(box.leftovers()).toEqual([])
})
