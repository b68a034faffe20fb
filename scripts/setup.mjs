// `npm start` and `npm test` run this first. It installs missing programs and npm packages, then builds.
// Nothing is installed yet when it runs, so it imports only modules of Node.
import './setup/node-version.mjs'
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installPackages, isInstalled } from './setup/packages.mjs'
import {
  ciPrograms,
  compilers,
  familiesOf,
  installPlan,
  programs,
  windowInstallCommands,
  windowPrograms,
} from './setup/programs.mjs'

const root = join(import.meta.dirname, '..')
const osReleasePath = '/etc/os-release'
const exitUnavailable = 69

export function setUp({ isCi = false } = {}) {
  const mustInstall = !isInstalled(root)
  providePrograms([...programs, ...(isCi ? ciPrograms : []), ...(mustInstall ? compilers : [])])
  if (isCi) provideWindowPrograms()
  if (mustInstall) providePackages()
  const build = [join(root, 'scripts', 'build.mjs')]
  const { status } = spawnSync(process.execPath, build, { cwd: root, stdio: ['ignore', 2, 2] })
  if (status !== 0) stop('the build failed; its own message is above', 1)
}

function providePackages() {
  say('installing npm packages; compiling better-sqlite3 may take a minute or two …')
  const problem = installPackages(root)
  if (problem === null) return
  const missing = compilers.filter(isMissing)
  if (missing.length > 0) explain('better-sqlite3 may need a compiler', missing)
  stop(problem)
}

function providePrograms(wanted) {
  const missing = wanted.filter(isMissing)
  if (missing.length === 0) return
  for (const { name, why } of missing) say(`${name} is not installed: ${why}`)
  const { commands, mayRun } = planFor(missing)
  if (mayRun) for (const command of commands) run(command)
  const still = missing.filter(isMissing)
  if (still.length === 0) return
  explain(`still missing: ${still.map(({ name }) => name).join(', ')}`, still)
  if (still.some(({ needed }) => needed)) stop('then run this command again')
}

function provideWindowPrograms() {
  const missing = windowPrograms.filter(isMissing)
  if (planFor(missing).mayRun) for (const command of windowInstallCommands(missing)) run(command)
  for (const { name, why } of missing.filter(isMissing))
    say(`${name} is not installed (${why}); tests that need it are skipped`)
}

function explain(problem, missing) {
  const { commands } = planFor(missing)
  const names = missing.map(({ name }) => name).join(' ')
  if (commands.length === 0) say(`${problem}; install with your package manager: ${names}`)
  else say(`${problem}; install with:\n${commands.map(command => `  ${command.join(' ')}`).join('\n')}`)
}

function planFor(missing) {
  const families = existsSync(osReleasePath) ? familiesOf(readFileSync(osReleasePath, 'utf8')) : []
  const isRoot = process.getuid() === 0
  return installPlan(
    missing.map(({ name }) => name),
    { platform: process.platform, families, isRoot },
  )
}

function run([file, ...args]) {
  say(`running: ${[file, ...args].join(' ')}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync(file, args, { stdio: ['ignore', 2, 2], env })
}

function isMissing({ name }) {
  return !(process.env.PATH ?? '').split(delimiter).some(directory => isProgram(join(directory, name)))
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

function say(text) {
  console.error(`setup: ${text}`)
}

function stop(text, exitCode = exitUnavailable) {
  say(text)
  process.exit(exitCode)
}
