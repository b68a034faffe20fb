import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeHeadersEnv } from './node-headers.mjs'

const stamp = join('node_modules', '.agenc-installed')
const binding = join('node_modules', 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node')

/** Whether the packages of the lock file are installed, and better-sqlite3 is built for this Node. */
export function isInstalled(root) {
  if (readText(join(root, stamp)) === lockHash(root)) return true
  if (!hasLockedPackages(root) || !loadsBinding(root)) return false
  writeFileSync(join(root, stamp), lockHash(root))
  return true
}

/** Runs `npm ci`, which prints to stderr. Returns true if the packages are installed and better-sqlite3 loads. */
export function installPackages(root) {
  // The build needs the development packages even where the user's npm leaves them out (omit=dev, NODE_ENV=production).
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund']
  const node = { execPath: process.execPath, version: process.versions.node }
  const env = { ...process.env, ...nodeHeadersEnv(node) }
  const npm = spawnSync('npm', args, { cwd: root, env, stdio: ['ignore', 2, 2] })
  if (npm.status !== 0 || !loadsBinding(root)) return false
  writeFileSync(join(root, stamp), lockHash(root))
  return true
}

function lockHash(root) {
  const lock = readFileSync(join(root, 'package-lock.json'))
  return createHash('sha256').update(lock).update(process.versions.modules).digest('hex')
}

/**
 * Whether a run of npm by hand has installed everything. npm lists what it installed in node_modules/.package-lock.json,
 * without the optional packages that are for other systems.
 */
function hasLockedPackages(root) {
  const installed =
    JSON.parse(readText(join(root, 'node_modules', '.package-lock.json')) || '{}').packages ?? {}
  const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.entries(locked).every(
    ([path, { version, optional }]) =>
      path === '' || installed[path]?.version === version || (optional && !installed[path]),
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
