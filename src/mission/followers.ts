import { join } from 'node:path'
import type { Context } from '../context.ts'
import type { Database } from '../db/open-store.ts'
import { readStore } from '../db/with-store.ts'
import { Cancelled } from '../errors.ts'
import { makePrivateDirectory, namesIn, removeFile } from '../io/files.ts'
import { randomUuid } from '../io/random.ts'
import type { Paths } from '../paths.ts'
import { isMakerGone, makerMark } from '../system/maker.ts'
import { WakeupFifo, wakeUp } from '../system/wakeup-fifo.ts'
import type { MissionChanged, Subscriber } from './service.ts'

/** Wakes the processes that follow the missions. A heartbeat is no change. */
export function wakeFollowersOf(paths: Paths): Subscriber {
  return changed => {
    if (!isHeartbeat(changed)) wakeFollowers(paths)
  }
}

function isHeartbeat({ change, history, isRemoved }: MissionChanged): boolean {
  const isOnlyBeat = Object.keys(change).length === 1 && 'heartbeat_at' in change
  return isOnlyBeat && history.length === 0 && !isRemoved
}

/** Wakes every process that follows the missions. */
export function wakeFollowers({ followers }: Paths): void {
  for (const name of namesIn(followers)) {
    const path = join(followers, name)
    // A follower that was killed could not remove its FIFO.
    if (!wakeUp(path) && isMakerGone(name)) removeFile(path)
  }
}

export interface Following {
  /** Null if there is none. */
  timeoutMs?: number | null
  signal?: AbortSignal
}

/**
 * Calls `look` now and after each change of a mission, until it returns anything but undefined. Between the changes this
 * process sleeps. `look` can arrange for another look with `wake`. Resolves to undefined if the time runs out.
 */
export async function untilChange<T>(
  context: Context,
  look: (db: Database | null, wake: () => void) => T | undefined | Promise<T | undefined>,
  { timeoutMs = null, signal }: Following = {},
): Promise<T | undefined> {
  makePrivateDirectory(context.paths.followers)
  const fifo = new WakeupFifo(context.exec, join(context.paths.followers, `${makerMark()}${randomUuid()}`))
  let wasWoken = true
  let wake = () => {}
  const lookAgain = () => {
    wasWoken = true
    wake()
  }
  fifo.onWakeup = lookAgain
  let isOver = false
  const end = () => {
    isOver = true
    wake()
  }
  const timer = timeoutMs === null ? undefined : setTimeout(end, timeoutMs)
  signal?.addEventListener('abort', end)
  fifo.listen()
  try {
    for (;;) {
      if (signal?.aborted) throw new Cancelled()
      if (wasWoken) {
        wasWoken = false
        const found = await readStore(context, db => look(db, lookAgain))
        if (found !== undefined) return found
      }
      if (signal?.aborted) throw new Cancelled()
      if (isOver) return undefined
      if (!wasWoken) await new Promise<void>(resolve => (wake = resolve))
    }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
    fifo.close()
  }
}
