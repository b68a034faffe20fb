import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'

export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
}

/**
 * Readers see the old text or the new one, never a part; with `durable` also after a power cut, which costs a wait
 * for the disk. Links are written through.
 */
export function writeFileAtomically(path: string, text: string, { durable = false } = {}): void {
  const target = throughLinks(path)
  makePrivateDirectory(dirname(target))
  const temporary = `${target}.${crypto.randomUUID()}.tmp`
  try {
    const file = openSync(temporary, 'wx', 0o600)
    try {
      writeSync(file, text)
      if (durable) fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Also where the link's target is not there yet. */
function throughLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return danglingTarget(path) ?? path
  }
}

function danglingTarget(path: string): string | null {
  try {
    return resolve(dirname(path), readlinkSync(path))
  } catch {
    return null
  }
}
