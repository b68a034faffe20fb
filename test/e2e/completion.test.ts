import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findProgram } from '../../src/system/find-program.ts'
import { agencScript, type Sandbox, sandbox } from '../helpers/cli.ts'
import { storeMissions, writeProgram } from '../helpers/missions.ts'
import { needPrograms } from '../helpers/needs.ts'
import { openTerminal, type Terminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

const tab = '\t'

/** A sandbox with `agenc` on its PATH and one mission on a repo. */
async function boxWithMission(): Promise<{ box: Sandbox; short: string }> {
  const box = sandbox()
  const bin = join(box.root, 'bin')
  mkdirSync(bin)
  writeProgram(join(bin, 'agenc'), `exec '${process.execPath}' '${agencScript}' "$@"`)
  box.env.PATH = `${bin}:${box.env.PATH}`
  const [id] = await storeMissions(box, [{ repo: 'github.com/acme/app', name: 'fix login' }])
  return { box, short: id!.slice(0, 8) }
}

function completions(box: Sandbox, ...words: string[]): string[] {
  return box
    .agenc(['_complete', '--', ...words])
    .stdout.split('\n')
    .slice(0, -1)
}

describe('agenc _complete', () => {
  test('missions are described by repo, name and state', async () => {
    const { box, short } = await boxWithMission()
    expect(completions(box, 'mission', 'show', '')).toEqual([
      `${short}\tacme/app fix login [stopped]`,
      `fix login\t${short} acme/app [stopped]`,
    ])
    expect(completions(box, 'mission', 'show', 'fix l')).toHaveLength(1)
    expect(completions(box, 'mission', 'show', 'zzzz')).toEqual([])
    expect(completions(box, 'mission', 'stop', '')).toEqual([])
    expect(completions(box, 'mission', 'rm', '')).toHaveLength(2)
    expect(completions(box, 'mission', 'unarchive', '')).toEqual([])
    expect(completions(box, 'mission', 'archive', short, '')).toEqual([])
    expect(completions(box, 'mission', 'archive', 'fix login', '')).toEqual([])
  })

  test('a name is offered only if it leads to its mission', async () => {
    const { box, short } = await boxWithMission()
    await storeMissions(box, [
      { name: 'twin' },
      { name: 'twin' },
      { name: short.slice(0, 5) },
      { name: '-x' },
    ])
    const names = completions(box, 'mission', 'show', '').map(line => line.split('\t')[0]!)
    expect(names.filter(name => !/^[0-9a-f]{8}$/.test(name))).toEqual(['fix login'])
  })

  test('lists modes, settings and their values', () => {
    const box = sandbox()
    expect(completions(box, 'send', '3f2a', '--as', '')).toEqual(['user\t', 'agent\t'])
    expect(completions(box, 'mission', 'answer', '3f2a', '')).toEqual(['allow\t', 'deny\t'])
    expect(completions(box, 'mission', 'new', '--permission-mode', 'pl')[0]).toMatch(/^plan\t.+/)
    expect(completions(box, 'config', 'get', 'claude.mo')[0]).toMatch(/^claude\.model\t.+/)
    expect(completions(box, 'config', 'set', 'tmux.return_to_parent', 'w')).toEqual(['when-focused\t'])
    expect(completions(box, 'config', 'set', 'notify.bell', '')).toEqual(['true\t', 'false\t'])
    expect(completions(box, 'setup', '--editor', 'ze')).toEqual(['zed\t'])
    expect(completions(box, 'repo', 'add', '')).toEqual([':dirs'])
  })

  test('prints nothing and creates nothing if the store is missing or broken', () => {
    const box = sandbox()
    expect(box.agenc(['_complete', '--', 'mission', 'show', ''])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '',
    })
    expect(existsSync(box.agencHome)).toBe(false)
    mkdirSync(box.agencHome)
    writeFileSync(join(box.agencHome, 'database.sqlite'), 'not a database')
    expect(box.agenc(['_complete', '--', 'repo', 'rm', ''])).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  })
})

describe('agenc completion install', () => {
  test.each([
    ['bash', '.local/share/bash-completion/completions/agenc'],
    ['fish', '.config/fish/completions/agenc.fish'],
    ['zsh', '.local/share/zsh/site-functions/_agenc'],
  ])('writes the completion script for %s', (shell, place) => {
    const box = sandbox()
    const installed = box.agenc(['completion', 'install', '--yes', '--shell', shell])
    expect(installed).toMatchObject({ exitCode: 0, stdout: '' })
    expect(readFileSync(join(box.home, place), 'utf8')).toBe(box.agenc(['completion', shell]).stdout)
    expect(statSync(join(box.home, place)).mode & 0o777).toBe(0o600)
    const env = { SHELL: `/bin/${shell}` }
    expect(box.agenc(['completion', 'install'], { env }).stderr).toMatch(/already installed/i)
  })

  test('writes nothing without a terminal and without --yes', () => {
    const box = sandbox()
    const env = { SHELL: '/bin/bash' }
    expect(box.agenc(['completion', 'install'], { env }).exitCode).toBe(64)
    expect(box.agenc(['completion', 'install', '--yes'], { env: { SHELL: '/bin/tcsh' } }).exitCode).toBe(64)
    expect(box.agenc(['completion', 'install', '--shell', 'tcsh']).exitCode).toBe(64)
    expect(existsSync(join(box.home, '.local'))).toBe(false)
  })
})

interface ShellCase {
  shell: string
  args: (box: Sandbox) => string[]
  prepare: (box: Sandbox) => void
}

const source = (box: Sandbox, shell: string, name: string, more = '') =>
  writeFileSync(join(box.home, name), `${more}\n${box.agenc(['completion', shell]).stdout}\nPS1='ready> '\n`)

/** Each opens an interactive shell that reads the script the way an installed one is read. */
const shellCases: ShellCase[] = [
  {
    shell: 'bash',
    args: box => ['--rcfile', join(box.home, 'rc'), '-i'],
    prepare: b => source(b, 'bash', 'rc'),
  },
  {
    shell: 'zsh',
    args: () => ['-i'],
    prepare: box => {
      box.agenc(['completion', 'install', '--yes', '--shell', 'zsh'])
      const fpath = join(box.home, '.local/share/zsh/site-functions')
      const text = `fpath=('${fpath}' $fpath)\nautoload -Uz compinit && compinit -u -D\nPS1='ready> '\n`
      writeFileSync(join(box.home, '.zshrc'), text)
    },
  },
  {
    shell: 'fish',
    args: () => ['-i', '-C', "function fish_prompt; printf 'ready> '; end; function fish_greeting; end"],
    prepare: box => {
      box.agenc(['completion', 'install', '--yes', '--shell', 'fish'])
      // Without this directory, fish reads all manual pages in the background, and goes on after the test.
      mkdirSync(join(box.home, '.local/share/fish/generated_completions'), { recursive: true })
    },
  },
]

describe.each(shellCases)('Tab in $shell', ({ shell, args, prepare }) => {
  async function openShell(box: Sandbox): Promise<Terminal> {
    prepare(box)
    const terminal = openTerminal(findProgram(shell, box.env)!, args(box), { env: box.env, cwd: box.root })
    await terminal.waitForText('ready>')
    return terminal
  }

  test('completes commands, options, missions and directories', async ctx => {
    needPrograms(ctx, shell)
    const { box, short } = await boxWithMission()
    mkdirSync(join(box.root, 'somewhere'))
    const terminal = await openShell(box)
    terminal.type(`agenc miss${tab}`)
    await terminal.waitForText('agenc mission')
    terminal.type(`sho${tab}`)
    await terminal.waitForText('agenc mission show')
    terminal.type(`${short.slice(0, 2)}${tab}`)
    await terminal.waitForText(`agenc mission show ${short}`)
    terminal.type(`--js${tab}`)
    await terminal.waitForText(`agenc mission show ${short} --json`)
    terminal.type('\u0015')
    terminal.type(`agenc repo add some${tab}`)
    await terminal.waitForText('agenc repo add somewhere')
  })

  test.for(['fi', 'fix\\ lo', "'fix lo"])('completes the name of a mission after %s', async (typed, ctx) => {
    needPrograms(ctx, shell)
    const { box, short } = await boxWithMission()
    const terminal = await openShell(box)
    terminal.type(`agenc mission show ${typed}${tab}`)
    await terminal.waitForText(/fix(\\ | )login/)
    // The shell takes the name as one word.
    terminal.type('--json > shown\r')
    await waitFor('the mission', () => readFileSync(join(box.root, 'shown'), 'utf8').includes(short))
  })

  test('lists values with descriptions', async ctx => {
    needPrograms(ctx, shell)
    const { box } = await boxWithMission()
    const terminal = await openShell(box)
    terminal.type(`agenc mission new --approve ${tab}${tab}`)
    await terminal.waitForText(/rules.*your rules/)
  })
})
