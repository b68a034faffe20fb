import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setUp } from './setup.mjs'

setUp()
const agenc = join(import.meta.dirname, '..', 'bin', 'agenc.cjs')
if (process.stdin.isTTY && process.stdout.isTTY) {
  const { status } = spawnSync(process.execPath, [agenc, 'tmux', 'attach'], { stdio: 'inherit' })
  process.exitCode = status ?? 1
} else {
  console.log(
    `agenc is built. In a terminal, run:\n  npm start\nor any command directly:\n  node ${agenc} --help`,
  )
}
