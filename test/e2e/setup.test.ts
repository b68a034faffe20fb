import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nodeHeadersEnv } from '../../scripts/setup/node-headers.mjs'
import {
  familiesOf,
  installPlan,
  windowInstallCommands,
  windowPrograms,
} from '../../scripts/setup/programs.mjs'
import { projectRoot, temporaryDirectory } from '../helpers/cli.ts'
import { openTerminal } from '../helpers/terminal.ts'

describe('headers for node-gyp', () => {
  const header = (major: number, minor: number, patch: number) =>
    `#define NODE_MAJOR_VERSION ${major}\n#define NODE_MINOR_VERSION ${minor}\n#define NODE_PATCH_VERSION ${patch}\n`
  const headersAt = (path: string, text: string) => (asked: string) => (asked === path ? text : '')
  const node = { execPath: '/opt/node/bin/node', version: '20.20.2' }
  const path = '/opt/node/include/node/node_version.h'

  test('headers beside Node with its version are used', () => {
    expect(nodeHeadersEnv(node, headersAt(path, header(20, 20, 2)))).toEqual({
      npm_config_nodedir: '/opt/node',
    })
  })

  test.each([
    ['another version', path, header(20, 20, 1)],
    ['another place', '/usr/include/node/node_version.h', header(20, 20, 2)],
    ['a file that is not the header', path, 'not found'],
  ])('headers are left to node-gyp: %s', (_name, place, text) => {
    expect(nodeHeadersEnv(node, headersAt(place, text))).toEqual({})
  })

  test('a missing file is no error', () => {
    expect(nodeHeadersEnv({ ...node, execPath: join(temporaryDirectory(), 'bin', 'node') })).toEqual({})
  })
})

describe('what to install, from facts', () => {
  const debian = { platform: 'linux', families: ['ubuntu', 'debian'], isRoot: false }

  test.each([
    ['a user on Debian', ['tmux'], debian, ['sudo apt-get update', 'sudo apt-get install -y tmux'], false],
    [
      'root on Debian',
      ['git', 'g++'],
      { ...debian, isRoot: true },
      ['apt-get update', 'apt-get install -y git g++'],
      true,
    ],
    [
      'Fedora',
      ['fzf', 'g++'],
      { ...debian, families: ['fedora'] },
      ['sudo dnf install -y fzf gcc-c++'],
      false,
    ],
    [
      'root on Fedora',
      ['fzf'],
      { platform: 'linux', families: ['fedora'], isRoot: true },
      ['dnf install -y fzf'],
      false,
    ],
    [
      'Arch',
      ['g++', 'python3'],
      { ...debian, families: ['arch'] },
      ['sudo pacman -S --noconfirm gcc python'],
      false,
    ],
    ['Alpine', ['tmux'], { ...debian, families: ['alpine'], isRoot: true }, ['apk add tmux'], false],
    [
      'macOS',
      ['tmux', 'g++', 'fzf'],
      { platform: 'darwin', families: [], isRoot: false },
      ['xcode-select --install', 'brew install tmux fzf'],
      false,
    ],
    [
      'macOS, only the compiler',
      ['make'],
      { platform: 'darwin', families: [], isRoot: false },
      ['xcode-select --install'],
      false,
    ],
    ['an unknown system', ['tmux'], { ...debian, families: ['plan9'] }, [], false],
    ['nothing missing', [], { ...debian, isRoot: true }, [], false],
  ])('%s', (_name, names, system, commands, mayRun) => {
    const plan = installPlan(names, system)
    expect(plan.commands.map(words => words.join(' '))).toEqual(commands)
    expect(plan.mayRun).toBe(mayRun)
  })

  test('window programs: one call for the required ones, one for each that a release may lack', () => {
    const commands = windowInstallCommands(windowPrograms).map(words => words.join(' '))
    expect(commands).toHaveLength(4)
    expect(commands[0]).toBe('apt-get update')
    expect(commands[1]).toMatch(/ xvfb openbox wmctrl xdotool x11-utils xterm dbus$/)
    expect(commands[2]).toMatch(/ kitty$/)
    expect(commands[3]).toMatch(/ gnome-terminal$/)
    expect(windowInstallCommands([])).toEqual([])
  })

  test('/etc/os-release', () => {
    expect(familiesOf('PRETTY_NAME="Debian"\nID=debian\n')).toEqual(['debian'])
    expect(familiesOf('ID="linuxmint"\nID_LIKE="ubuntu debian"\n')).toEqual(['linuxmint', 'ubuntu', 'debian'])
    expect(familiesOf('')).toEqual([])
  })
})

/** A clone of the project on a machine that has only the given programs. */
function clone({
  has,
  fakes = {},
  isInstalled,
}: {
  has: string[]
  fakes?: Record<string, string>
  isInstalled: boolean
}) {
  const root = temporaryDirectory()
  const project = join(root, 'agenc')
  const bin = join(root, 'bin')
  mkdirSync(bin)
  for (const name of [
    'bin',
    'package.json',
    'package-lock.json',
    'docs/for-agents.md',
    'schema',
    'scripts',
    'src',
    'stand-in',
    'tsconfig.json',
  ]) {
    cpSync(join(projectRoot, name), join(project, name), { recursive: true })
  }
  if (isInstalled) symlinkSync(join(projectRoot, 'node_modules'), join(project, 'node_modules'))
  symlinkSync(process.execPath, join(bin, 'node'))
  const program = (name: string, text: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  // Without a `claude`, `npm start` would play the demo, which test/e2e/demo.test.ts covers.
  for (const name of ['claude', ...has]) program(name, 'exit 0')
  for (const [name, text] of Object.entries(fakes)) program(name, text)
  const env = { PATH: bin, HOME: root, AGENC_DIRPATH: join(root, 'home'), TERM: 'xterm-256color' }
  const start = () => {
    const done = spawnSync(process.execPath, ['scripts/start.mjs'], {
      cwd: project,
      env,
      encoding: 'utf8',
      input: '',
    })
    return { exitCode: done.status, stdout: done.stdout, stderr: done.stderr }
  }
  return { root, project, bin, env, start }
}

const everything = ['tmux', 'git', 'fzf', 'python3', 'make', 'g++']

describe('npm start', () => {
  test('without a terminal it builds, prints what to run and installs nothing again', () => {
    const { start, project } = clone({ has: everything, fakes: { npm: 'exit 9' }, isInstalled: true })
    const done = start()
    expect(done).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('In a terminal, run:\n  npm start'),
    })
    expect(done.stderr).not.toContain('installing')
    expect(existsSync(join(project, 'dist', 'main.js'))).toBe(true)
    expect(existsSync(join(project, 'dist', 'THIRD-PARTY.txt'))).toBe(true)
  })

  test('in a terminal it opens the agenc session', async () => {
    const { project, env, root } = clone({ has: everything, isInstalled: true })
    writeFileSync(join(root, 'bin', 'tmux'), '#!/bin/sh\necho "tmux 1.8"\n', { mode: 0o755 })
    const terminal = openTerminal(process.execPath, ['scripts/start.mjs'], { cwd: project, env })
    expect(await terminal.exited).toBe(69)
    await terminal.waitForText(/tmux .*1\.8/)
  })

  test('missing packages are installed, development packages included', () => {
    const { start, root } = clone({
      has: everything,
      fakes: { npm: `echo "$@" >"${'$HOME'}/npm-arguments"; exit 1` },
      isInstalled: false,
    })
    const done = start()
    expect(done.exitCode).toBe(69)
    expect(readFileSync(join(root, 'npm-arguments'), 'utf8')).toMatch(/^ci --include=dev /)
    expect(done.stderr).toContain('setup: npm ci failed')
  })

  const isRoot = process.getuid?.() === 0
  const isDebian = process.platform === 'linux' && existsSync('/etc/debian_version')

  test('missing programs are installed for root on Debian, and named for everyone else', () => {
    const install = `echo "$@" >>"$HOME/apt"; [ "$1" = update ] || for p; do : >"$HOME/bin/$p"; /bin/chmod +x "$HOME/bin/$p" 2>/dev/null; done`
    const { start, root } = clone({ has: ['git'], fakes: { 'apt-get': install }, isInstalled: true })
    const done = start()
    expect(done.stderr).toContain('tmux is not installed')
    expect(done.stderr).toContain('fzf is not installed')
    if (isRoot && isDebian) {
      expect(readFileSync(join(root, 'apt'), 'utf8')).toBe('update\ninstall -y tmux fzf\n')
      expect(done.exitCode).toBe(0)
    } else {
      expect(done.exitCode).toBe(69)
      expect(done.stderr).toMatch(/install with.*tmux fzf/s)
    }
  })

  test('a failed installation prints the command; it stops without tmux or git, but not without fzf', () => {
    const failing = { 'apt-get': 'exit 100' }
    const stopped = clone({ has: ['fzf'], fakes: failing, isInstalled: true }).start()
    expect(stopped.exitCode).toBe(69)
    expect(stopped.stderr).toMatch(/still missing: tmux, git;.*tmux git\n.*run this command again\n$/s)
    const going = clone({ has: ['tmux', 'git'], fakes: failing, isInstalled: true }).start()
    expect(going.exitCode).toBe(0)
    expect(going.stderr).toMatch(/still missing: fzf;.*fzf\n/s)
  })
})

test('an older Node is refused with a message', () => {
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.0' } })`
  const args = ['--import', `data:text/javascript,${encodeURIComponent(old)}`, 'scripts/start.mjs']
  const done = spawnSync(process.execPath, args, { cwd: projectRoot, encoding: 'utf8' })
  expect(done.status).toBe(69)
  expect(done.stderr).toMatch(/^setup: .*20\.17.*18\.20\.0\n$/)
})
