import { mkdirSync, rmdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AgencError, errorCode } from '../errors.ts'
import { makePrivateDirectory } from './files.ts'

/** A holder that died is taken over after this. It is what Claude Code itself uses, as is the directory. */
const staleMs = 10_000
const patienceMs = 12_000
const pauseMs = { least: 5, most: 50 }

/**
 * Runs `work` while no other process, Claude Code included, holds `<path>.lock`. It must not wait for anything: so
 * no signal can come in between and leave the lock behind. proper-lockfile does the same, but takes 13 ms to load.
 */
export async function withLock<T>(path: string, work: () => T): Promise<T> {
  const lock = `${path}.lock`
  makePrivateDirectory(dirname(path))
  for (const deadlineMs = Date.now() + patienceMs; !tryToTake(lock); await pause())
    if (Date.now() > deadlineMs)
      throw cannotLock(
        path,
        'somebody else holds it',
        `If no other agenc or claude is running, remove ${lock}.`,
      )
  try {
    return work()
  } finally {
    release(lock)
  }
}

function tryToTake(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch (error) {
    if (errorCode(error) !== 'EEXIST')
      throw cannotLock(
        lock.replace(/\.lock$/, ''),
        (error as Error).message,
        `Check who owns ${dirname(lock)} and its mode.`,
      )
  }
  if (isAbandoned(lock)) release(lock)
  return false
}

/** Whoever holds a lock for long touches it. */
function isAbandoned(lock: string): boolean {
  const { mtimeMs } = statSync(lock, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() }
  return mtimeMs < Date.now() - staleMs
}

function release(lock: string): void {
  try {
    rmdirSync(lock)
  } catch {
    // Taken over, which only a machine that slept in between can bring about.
  }
}

function pause(): Promise<void> {
  const { least, most } = pauseMs
  return new Promise(resolve => setTimeout(resolve, least + Math.random() * (most - least)))
}

function cannotLock(path: string, reason: string, hint: string): AgencError {
  return new AgencError(`cannot lock ${path}: ${reason}`, hint)
}
