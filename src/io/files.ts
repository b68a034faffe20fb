import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { errorCode } from '../errors.ts'

export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
}

function draftOf(path: string): string {
  return `${path}.${process.pid}-${process.hrtime.bigint()}.tmp`
}

/** Is this what a write left that was cut off? */
export function isDraft(name: string): boolean {
  return /\.\d+-\d+\.tmp$/.test(name)
}

/**
 * Readers see the old text or the new one, never a part; with `durable` also after a power cut, which costs a wait
 * for the disk. Links are written through.
 */
export function writeFileAtomically(path: string, text: string, { durable = false } = {}): void {
  const target = throughLinks(path)
  makePrivateDirectory(dirname(target))
  const draft = draftOf(target)
  try {
    const file = openSync(draft, 'wx', 0o600)
    try {
      // Until all of it is there: `writeSync` may write a part, and says so only by a number.
      writeFileSync(file, text)
      if (durable) fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(draft, target)
  } catch (error) {
    removeFile(draft)
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
