import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeHeadersEnv } from './node-headers.mjs'

const stamp = join('node_modules', '.agenc-installed')

/** Whether the packages of the lock file are installed, and better-sqlite3 works with this Node. */
export function isInstalled(root) {
  if (readText(join(root, stamp)) === lockHash(root)) return true
  if (!hasLockedPackages(root) || !isStoreUsable(root)) return false
  writeFileSync(join(root, stamp), lockHash(root))
  return true
}

/** Runs `npm ci`, which prints to stderr. Returns null if everything works now, or else what is wrong. */
export function installPackages(root) {
  // The build needs the development packages even where the user's npm leaves them out (omit=dev, NODE_ENV=production).
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund']
  const node = { execPath: process.execPath, version: process.versions.node }
  const env = { ...process.env, ...nodeHeadersEnv(node) }
  const npm = spawnSync('npm', args, { cwd: root, env, stdio: ['ignore', 2, 2] })
  if (npm.status !== 0) return "npm ci failed; npm's own message is above"
  if (!isStoreUsable(root))
    return `better-sqlite3 was built, but does not work with Node ${node.version}; docs/compatibility.md lists versions that work`
  writeFileSync(join(root, stamp), lockHash(root))
  return null
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

/**
 * Opens databases in another process and lets the garbage collector free them. A better-sqlite3 for another Node does not
 * load, and version 12 compiled with the headers of Node 24.19 or newer crashes when its objects are freed. Only
 * allocating shows that: an explicit gc() does not crash.
 */
function isStoreUsable(root) {
  const script = `const Database = require(process.argv[1])
    for (let round = 0; round < 10; round++) new Database(':memory:').close()
    const garbage = []
    for (let round = 0; round < 1e6; round++) garbage.push({ round })`
  const args = ['-e', script, join(root, 'node_modules', 'better-sqlite3')]
  return spawnSync(process.execPath, args).status === 0
}

function readText(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
