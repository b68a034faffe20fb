import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { errorCode } from '../errors.ts'
import { isMakerGone, makerMark } from '../system/maker.ts'

const mkdirAttempts = 3

/**
 * Makes a directory and its parents. Returns the first one that did not exist. Node's own `recursive` never ends in a
 * place such as /proc/1, where mkdir reports a missing parent although the parent exists.
 */
export function makePrivateDirectory(path: string, attempts = mkdirAttempts): string | undefined {
  if (isDirectory(path)) return undefined
  const parent = dirname(path)
  const firstMade = parent === path ? undefined : makePrivateDirectory(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
    return firstMade ?? path
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EEXIST' && isDirectory(path)) return firstMade
    // Another process may just have removed the empty parent.
    if (code === 'ENOENT' && attempts > 1) return makePrivateDirectory(path, attempts - 1)
    throw error
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return false
    throw error
  }
}

/** Unlike `existsSync`, throws if the path cannot be looked up, for instance below a file. */
export function doesExist(path: string): boolean {
  try {
    statSync(path)
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}

/** A name for a file that becomes `path` when it is complete. */
export function draftOf(path: string): string {
  return `${path}.${makerMark()}${process.hrtime.bigint()}.tmp`
}

/** Whether a file of this name is being written, or was left behind by a write that was cut off. */
export function isDraft(name: string): boolean {
  // An older agenc used another form.
  return /\.\d+@[^~/]*~\d+\.tmp$/.test(name) || /\.\d+-\d+\.tmp$/.test(name)
}

/** Removes what killed processes left behind when they were writing this file. */
export function sweepDrafts(path: string): void {
  const target = throughLinks(path)
  sweepDraftsIn(dirname(target), `${basename(target)}.`)
}

/** Removes what killed processes left behind when they were writing files in this directory. */
export function sweepDraftsIn(directory: string, prefix = ''): void {
  for (const name of namesIn(directory))
    if (name.startsWith(prefix) && isDraft(name) && isMakerGone(name)) removeFile(join(directory, name))
}

/** Returns none if the directory cannot be read. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/**
 * Replaces a file so that readers see the old text or the new one, never a part. With `durable` this also holds after
 * a power cut, at the price of waiting for the disk. Follows symbolic links unless told otherwise.
 */
export function writeFileAtomically(
  path: string,
  text: string,
  { durable = false, followLinks = true } = {},
): void {
  const target = followLinks ? throughLinks(path) : path
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
    // The user knows the file, and not the draft.
    throw Object.assign(error as Error, { path: target })
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
