import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { errorCode } from '../errors.ts'

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
  const temporary = `${target}.${process.pid}-${process.hrtime.bigint()}.tmp`
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
    removeFile(temporary)
    throw error
  }
}

/** Gone afterwards, whether it was there or not. `rmSync` does the same, but loads what it needs for whole trees. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}

/** Also where the link's target is not there yet. */
function throughLinks(path: string): string {
  try {
    return realpathSync.native(path)
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
