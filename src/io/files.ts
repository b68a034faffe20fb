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
import { basename, dirname, join, resolve } from 'node:path'
import { errorCode } from '../errors.ts'

export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
}

function draftOf(path: string): string {
  return `${path}.${process.pid}-${process.hrtime.bigint()}.tmp`
}

/** Whether a file of this name was left behind by a write that was cut off. */
export function isDraft(name: string): boolean {
  return /\.\d+-\d+\.tmp$/.test(name)
}

/**
 * Replaces a file so that readers see the old text or the new one, never a part. With `durable` this also holds after
 * a power cut, at the price of waiting for the disk. Follows symbolic links.
 */
export function writeFileAtomically(path: string, text: string, { durable = false } = {}): void {
  const target = throughLinks(path)
  makePrivateDirectory(dirname(target))
  const draft = draftOf(target)
  try {
    const file = openSync(draft, 'wx', 0o600)
    try {
      // Not `writeSync`: it may write only a part of the text, and reports that only in its result.
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

/** Removes a file if it exists. `rmSync` does the same, but loads code for whole trees. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}

/** Resolves links even if the target does not exist yet. */
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

/** Resolves the links in a path as far as the path exists. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPathOf(parent), basename(path))
  }
}
