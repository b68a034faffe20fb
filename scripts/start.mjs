import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setUp } from './setup.mjs'

setUp()
const agenc = join(import.meta.dirname, '..', 'bin', 'agenc.cjs')
const isTerminal = process.stdin.isTTY && process.stdout.isTTY

if (!hasClaude()) {
  console.error('Claude Code is not installed. This is a demo with a stand-in for it.\n')
  process.exitCode = run('demo')
  console.log(`\nOnce Claude Code is installed, 'npm start' opens the agenc session.
To use 'agenc' in any directory, run: npm install -g .`)
} else if (isTerminal) {
  process.exitCode = run('tmux', 'attach')
} else {
  console.log(
    `agenc is built. In a terminal, run:\n  npm start\nor run any command directly:\n  node ${agenc} --help`,
  )
}

function run(...args) {
  return spawnSync(process.execPath, [agenc, ...args], { stdio: 'inherit' }).status ?? 1
}

/** Looks for Claude on the PATH and in the settings. */
function hasClaude() {
  const directories = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  if (directories.some(directory => existsSync(join(directory, 'claude')))) return true
  const setting = spawnSync(process.execPath, [agenc, 'config', 'get', 'claude.command'], {
    encoding: 'utf8',
  })
  return setting.status === 0 && setting.stdout.trim() !== ''
}
