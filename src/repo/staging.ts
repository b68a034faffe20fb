import { chmodSync, mkdtempSync, renameSync, rm, rmdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AgencError, errorCode } from '../errors.ts'
import { makePrivateDirectory, namesIn } from '../io/files.ts'
import { isMakerGone, makerMark } from '../system/maker.ts'

/** Another process created the destination first. */
export class AlreadyThere extends AgencError {
  constructor(path: string) {
    super(`${path} already exists`)
  }
}

const placeAttempts = 20

/**
 * Fills a hidden directory below `root`, then moves it to `destination`, also below `root`, in one step. A failure at
 * any point leaves nothing behind, not even an empty parent directory.
 */
export async function fillThenPlace(
  root: string,
  destination: string,
  fill: (directory: string) => Promise<void>,
): Promise<void> {
  const firstMade = makePrivateDirectory(root)
  await sweepStaging(root)
  const staging = makeStaging(root)
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

/** Makes a hidden directory, whose name tells who made it. */
export function makeStaging(root: string): string {
  return mkdtempSync(join(root, `${stagingPrefix}${makerMark()}`))
}

/** Removes what killed processes left behind. */
export async function sweepStaging(root: string): Promise<void> {
  for (const name of namesIn(root))
    if (name.startsWith(stagingPrefix) && isMakerGone(name)) await removeTree(join(root, name))
}

export function removeTree(path: string): Promise<void> {
  // A git that was just asked to end may still be writing a file.
  const patient = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }
  return new Promise((resolve, reject) => rm(path, patient, error => (error ? reject(error) : resolve())))
}

/** Renaming onto a directory that is not empty fails, so one of two competing processes wins. */
function place(directory: string, destination: string, root: string): void {
  for (let attempt = 1; ; attempt++) {
    makePrivateDirectory(dirname(destination))
    try {
      renameSync(directory, destination)
      return
    } catch (error) {
      const code = errorCode(error)
      // Another process may remove the empty parent between these two calls.
      if (code === 'ENOENT' && attempt < placeAttempts) continue
      removeEmptyDirectories(dirname(destination), root)
      if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR') throw new AlreadyThere(destination)
      throw error
    }
  }
}

/** Removes empty directories from `directory` upwards, but never `stop` itself. */
export function removeEmptyDirectories(directory: string, stop: string): void {
  if (directory === stop || !directory.startsWith(stop)) return
  try {
    rmdirSync(directory)
  } catch {
    return
  }
  removeEmptyDirectories(dirname(directory), stop)
}
