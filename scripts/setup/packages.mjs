import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const stamp = join('node_modules', '.agenc-installed')
const binding = join('node_modules', 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node')

/** Are the packages of the lock file here, built for this Node? */
export function isInstalled(root) {
  if (readText(join(root, stamp)) === lockHash(root)) return true
  if (!hasLockedPackages(root) || !loadsBinding(root)) return false
  writeFileSync(join(root, stamp), lockHash(root))
  return true
}

/** true when it went well. npm speaks on stderr. */
export function installPackages(root) {
  // Whatever the user's npm leaves out as a rule (omit=dev, NODE_ENV=production), this needs it.
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund']
  const npm = spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (npm.status !== 0 || !loadsBinding(root)) return false
  writeFileSync(join(root, stamp), lockHash(root))
  return true
}

function lockHash(root) {
  const lock = readFileSync(join(root, 'package-lock.json'))
  return createHash('sha256').update(lock).update(process.versions.modules).digest('hex')
}

/** Somebody ran npm by hand: npm notes what it put there. Packages for other systems are left out of that. */
function hasLockedPackages(root) {
  const there = JSON.parse(readText(join(root, 'node_modules', '.package-lock.json')) || '{}').packages ?? {}
  const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.entries(locked).every(
    ([path, { version, optional }]) =>
      path === '' || there[path]?.version === version || (optional && !there[path]),
  )
}

function loadsBinding(root) {
  const path = join(root, binding)
  return (
    existsSync(path) && spawnSync(process.execPath, ['-e', 'require(process.argv[1])', path]).status === 0
  )
}

function readText(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
