// What `npm start` and `npm test` do first on a fresh clone: programs, packages, build.
// Runs before anything is installed, so it uses Node alone.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const stampPath = join(root, 'node_modules', '.agenc-installed')
const exitUnavailable = 69

/** `needed`: without it nothing works. The others have a substitute, or may turn out not to be needed. */
const programs = [
  { name: 'tmux', needed: true, why: 'missions live in its windows' },
  { name: 'git', needed: true, why: 'missions work on copies of repos' },
  { name: 'fzf', needed: false, why: 'quick pickers; without it a plain prompt serves' },
]
const compilers = [
  { name: 'python3', needed: false, why: 'builds better-sqlite3 where no ready-made binary fits' },
  { name: 'make', needed: false, why: 'builds better-sqlite3 where no ready-made binary fits' },
  { name: 'g++', needed: false, why: 'builds better-sqlite3 where no ready-made binary fits' },
]

export function setUp() {
  const mustInstall = !isInstalled()
  providePrograms(mustInstall ? [...programs, ...compilers] : programs)
  if (mustInstall) installPackages()
  execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { cwd: root, stdio: ['ignore', 2, 2] })
}

function isInstalled() {
  return existsSync(stampPath) && readFileSync(stampPath, 'utf8') === lockHash()
}

function lockHash() {
  const lock = readFileSync(join(root, 'package-lock.json'))
  return createHash('sha256').update(lock).update(process.versions.modules).digest('hex')
}

function installPackages() {
  say('installing npm packages (the first time better-sqlite3 may compile for a minute or two) …')
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, stdio: ['ignore', 2, 2] })
  if (npm.status !== 0) {
    const missing = compilers.filter(isMissing)
    if (missing.length > 0)
      say(`better-sqlite3 may need a compiler. Install it with:\n  ${installCommand(missing).join(' ')}`)
    stop('npm ci failed; its own message is above')
  }
  writeFileSync(stampPath, lockHash())
}

function providePrograms(wanted) {
  let missing = wanted.filter(isMissing)
  if (missing.length === 0) return
  for (const { name, why } of missing) say(`${name} is not installed: ${why}`)
  const [file, ...args] = installCommand(missing)
  if (isDebian() && process.getuid() === 0) {
    say(`installing with: ${[file, ...args].join(' ')}`)
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    spawnSync('apt-get', ['update', '-qq'], { stdio: ['ignore', 2, 2], env: environment })
    spawnSync(file, args, { stdio: ['ignore', 2, 2], env: environment })
    missing = missing.filter(isMissing)
  }
  if (missing.length === 0) return
  say(`install with:\n  ${installCommand(missing).join(' ')}`)
  if (missing.some(program => program.needed)) stop('then run this again')
}

function isMissing({ name }) {
  return !(process.env.PATH ?? '').split(delimiter).some(directory => existsSync(join(directory, name)))
}

function isDebian() {
  return existsSync('/etc/debian_version')
}

function installCommand(missing) {
  const names = missing.map(({ name }) => name)
  const asRoot = process.getuid() === 0 ? [] : ['sudo']
  if (process.platform === 'darwin') {
    return names.every(name => compilers.some(compiler => compiler.name === name))
      ? ['xcode-select', '--install']
      : ['brew', 'install', ...names.filter(name => programs.some(program => program.name === name))]
  }
  if (isDebian()) return [...asRoot, 'apt-get', 'install', '-y', ...names]
  if (existsSync('/etc/fedora-release'))
    return [...asRoot, 'dnf', 'install', ...names.map(n => (n === 'g++' ? 'gcc-c++' : n))]
  if (existsSync('/etc/arch-release'))
    return [...asRoot, 'pacman', '-S', ...names.map(n => (n === 'g++' ? 'gcc' : n))]
  return ['your package manager:', ...names]
}

function say(text) {
  console.error(`setup: ${text}`)
}

function stop(text) {
  say(text)
  process.exit(exitUnavailable)
}
