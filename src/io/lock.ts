import { dirname } from 'node:path'
import { AgencError } from '../errors.ts'
import { makePrivateDirectory } from './files.ts'

/** A holder that died is taken over after this; it is also what Claude Code itself uses. */
const staleMs = 10_000
const patience = { retries: 200, minTimeout: 5, maxTimeout: 50, randomize: true }

/** Runs `work` while no other process, Claude Code included, holds `<path>.lock`. */
export async function withLock<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  const { lock } = await import('./lockfile.ts')
  makePrivateDirectory(dirname(path))
  let release: () => Promise<void>
  try {
    release = await lock(path, {
      realpath: false,
      stale: staleMs,
      retries: patience,
      // What is done under a lock takes milliseconds. A machine that slept just then is no reason to crash.
      onCompromised: () => {},
    })
  } catch (error) {
    throw new AgencError(
      `cannot lock ${path}: ${(error as Error).message}`,
      `If no other agenc or claude is running, remove ${path}.lock.`,
    )
  }
  try {
    return await work()
  } finally {
    await release().catch(() => {})
  }
}
