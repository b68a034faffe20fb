import { mkdirSync, rmdirSync, statSync, utimes } from 'node:fs'
import { dirname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { AgencError, adviceOnShortage, errorCode } from '../errors.ts'
import { makePrivateDirectory } from './files.ts'

/** A lock that was not touched for this long counts as abandoned. Claude Code uses the same limit. */
const staleMs = 10_000
const touchEveryMs = 2_500
const patienceMs = { short: 12_000, long: 120_000 }
const pauseMs = { least: 5, most: 50 }

/**
 * Runs `work` while no other process holds the directory `<path>.lock`. Claude Code locks its .claude.json the same
 * way, so the two exclude each other there. `work` must be synchronous: no signal handler can then end the process
 * between taking the lock and releasing it. proper-lockfile would do as well, but takes 13 ms to load.
 *
 * Work that may take longer than a few seconds must say so with `isLong`: a thread then touches the lock until the
 * work is done or the process has died, and other long work waits for it. A process that is suspended touches
 * nothing, so its lock can be taken over.
 */
export async function withLock<T>(path: string, work: () => T, { isLong = false } = {}): Promise<T> {
  const lock = lockOf(path)
  // A monotonic clock: the user may set the other one back.
  const deadlineMs = performance.now() + (isLong ? patienceMs.long : patienceMs.short)
  makePrivateDirectory(dirname(path))
  const sightings: Sightings = new Map()
  while (!tryToTake(lock, sightings)) {
    if (performance.now() > deadlineMs)
      throw cannotLock(
        path,
        'another process holds the lock',
        `Try again. If no other agenc or claude is running, remove ${lock}.`,
      )
    await pause()
  }
  let toucher: Worker | undefined
  try {
    if (isLong) toucher = startToucher(lock)
    return work()
  } finally {
    removeDirectory(lock)
    void toucher?.terminate()
  }
}

/**
 * Runs `work` unless another process holds the lock. Returns whether it was run. Unlike that of `withLock`, this work is
 * asynchronous: if the process is killed, the lock stays for a while.
 */
export async function tryWithLock(path: string, work: () => Promise<void>): Promise<boolean> {
  const lock = lockOf(path)
  const sightings: Sightings = new Map()
  // The first try removes an abandoned lock.
  if (!tryToTake(lock, sightings) && !tryToTake(lock, sightings)) return false
  const touch = setInterval(() => utimes(lock, new Date(), new Date(), () => {}), touchEveryMs)
  try {
    await work()
    return true
  } finally {
    clearInterval(touch)
    removeDirectory(lock)
  }
}

/** The directories that stand for a lock, and for the right to remove an abandoned one. */
export function lockOf(path: string): string {
  return `${path}.lock`
}

const takeover = '.takeover'

export function takeoverOf(path: string): string {
  return `${lockOf(path)}${takeover}`
}

/** For each path, the directory that this process saw there, and since when it has not changed. */
type Sightings = Map<string, { version: string; sinceMs: number }>

function tryToTake(lock: string, sightings: Sightings): boolean {
  try {
    if (makeDirectory(lock)) return true
    const guard = `${lock}${takeover}`
    // Look at both from the start, so that the waits for the two do not add up.
    const [isLockAbandoned, isGuardAbandoned] = [lock, guard].map(path => isAbandoned(path, sightings))
    if (isGuardAbandoned) removeDirectory(guard)
    if (isLockAbandoned) removeAbandoned(lock, guard, sightings)
    return false
  } catch (error) {
    throw cannotLock(
      lock.replace(/\.lock$/, ''),
      (error as Error).message,
      adviceOnShortage(error) ?? `Check the owner and the mode of ${dirname(lock)}.`,
    )
  }
}

/**
 * The date of a directory may be in the future, if the clock was set back. So a directory also counts as abandoned if
 * this process has seen it unchanged for long enough.
 */
function isAbandoned(path: string, sightings: Sightings): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return false
  const version = `${stats.ino} ${stats.mtimeMs}`
  const nowMs = performance.now()
  const known = sightings.get(path)
  const seen = known?.version === version ? known : { version, sinceMs: nowMs }
  sightings.set(path, seen)
  return stats.mtimeMs < Date.now() - staleMs || nowMs - seen.sinceMs > staleMs
}

/**
 * Only one process at a time may check and remove a lock. Of two that saw an abandoned lock, the slower one would
 * otherwise remove the lock that the faster one has taken in the meantime.
 */
function removeAbandoned(lock: string, guard: string, sightings: Sightings): void {
  if (!makeDirectory(guard)) return
  if (isAbandoned(lock, sightings)) removeDirectory(lock)
  removeDirectory(guard)
}

/** Returns false if the directory exists already. */
function makeDirectory(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

function removeDirectory(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // Another process has removed it: this one was suspended for longer than a lock lasts.
  }
}

/** Synchronous work blocks every timer of its own thread, so the lock is touched from another one. */
function startToucher(lock: string): Worker {
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  const touch = `const { utimesSync } = require('node:fs')
    const { lock, everyMs } = require('node:worker_threads').workerData
    setInterval(() => { try { utimesSync(lock, new Date(), new Date()) } catch {} }, everyMs)`
  return new Worker(touch, { eval: true, execArgv: [], workerData: { lock, everyMs: touchEveryMs } })
}

function pause(): Promise<void> {
  const { least, most } = pauseMs
  return new Promise(resolve => setTimeout(resolve, least + Math.random() * (most - least)))
}

/** Whether the directory of a lock was not touched for so long that any process may remove it. */
export function hasLapsed(lock: string, nowMs: number): boolean {
  const stats = statSync(lock, { throwIfNoEntry: false })
  return stats !== undefined && Math.abs(nowMs - stats.mtimeMs) > staleMs
}

function cannotLock(path: string, reason: string, hint: string): AgencError {
  return new AgencError(`cannot lock ${path}: ${reason}`, hint)
}
