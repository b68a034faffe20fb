import { closeSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { withLock } from '../../src/io/lock.ts'

/**
 * A process that takes a lock: `lock-holder <path> <name> long|short`. While it holds the lock it writes `<path>.<name>`
 * and blocks its thread, as SQLite does, until `<path>.<name>.leave` exists. It exits with 3 if another process holds
 * the lock at the same time.
 */
const [path, name, length] = process.argv.slice(2) as [string, string, 'long' | 'short']

function holdUntilToldToLeave(): void {
  try {
    closeSync(openSync(`${path}.held`, 'wx'))
  } catch {
    process.exit(3)
  }
  writeFileSync(`${path}.${name}`, '')
  const never = new Int32Array(new SharedArrayBuffer(4))
  while (!existsSync(`${path}.${name}.leave`)) Atomics.wait(never, 0, 0, 10)
  rmSync(`${path}.held`)
}

void withLock(path, holdUntilToldToLeave, { isLong: length === 'long' })
