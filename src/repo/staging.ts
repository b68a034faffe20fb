import { chmodSync, mkdirSync, mkdtempSync, renameSync, rm, rmdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AgencError, errorCode } from '../errors.ts'
import { makePrivateDirectory } from '../io/files.ts'

/** Somebody else put something there first. */
export class AlreadyThere extends AgencError {
  constructor(path: string) {
    super(`${path} is already there`)
  }
}

const placeAttempts = 20

/**
 * Fills a hidden directory below `root` and moves it to `destination`, also below `root`, in one step.
 * Whatever goes wrong, and whenever, nothing is left: no part of it, no empty directory on the way to it.
 */
export async function fillThenPlace(
  root: string,
  destination: string,
  fill: (directory: string) => Promise<void>,
): Promise<void> {
  const firstMade = mkdirSync(root, { recursive: true, mode: 0o700 })
  const staging = mkdtempSync(join(root, stagingPrefix))
  try {
    const directory = join(staging, basename(destination))
    await fill(directory)
    chmodSync(directory, 0o700)
    place(directory, destination, root)
  } catch (error) {
    await removeTree(staging)
    if (firstMade !== undefined) removeEmptyDirectories(root, dirname(firstMade))
    throw error
  }
  await removeTree(staging)
}

export const stagingPrefix = '.unfinished-'

export function removeTree(path: string): Promise<void> {
  // A git that was just told to end may still be writing its last file.
  const patient = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }
  return new Promise((resolve, reject) => rm(path, patient, error => (error ? reject(error) : resolve())))
}

/** A rename onto a directory that has something in it fails: of two at once, one wins. */
function place(directory: string, destination: string, root: string): void {
  for (let attempt = 1; ; attempt++) {
    makePrivateDirectory(dirname(destination))
    try {
      renameSync(directory, destination)
      return
    } catch (error) {
      const code = errorCode(error)
      // Another process may remove the empty parent between the two calls.
      if (code === 'ENOENT' && attempt < placeAttempts) continue
      removeEmptyDirectories(dirname(destination), root)
      if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR') throw new AlreadyThere(destination)
      throw error
    }
  }
}

/** From `directory` upwards, ending below `stop` or at the first one in use. */
export function removeEmptyDirectories(directory: string, stop: string): void {
  if (directory === stop || !directory.startsWith(stop)) return
  try {
    rmdirSync(directory)
  } catch {
    return
  }
  removeEmptyDirectories(dirname(directory), stop)
}
