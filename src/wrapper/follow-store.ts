import type { FollowedStore } from '../db/followed-store.ts'
import { putMission } from '../db/missions.ts'
import type { MissionService } from '../mission/service.ts'
import type { MissionId } from '../mission-id.ts'
import type { Log } from './log.ts'

/**
 * Returns a function that moves this wrapper to the new store if the old one was lost and replaced, and writes the
 * mission's row there. Call it when the wrapper has the lease.
 */
export function storeFollower(
  { db, follow }: FollowedStore,
  missions: MissionService,
  id: MissionId,
  log: Log,
): () => Promise<void> {
  let known = missions.get(id)!
  missions.subscribe(changed => {
    if (changed.id === id) known = { ...known, ...changed.change }
  })
  const followOnce = async () => {
    try {
      if (!(await follow())) return
      putMission(db, known)
      log('the store was replaced: going on with the new one')
    } catch (error) {
      log(`the store is lost: ${String(error)}`)
    }
  }
  let following: Promise<void> | null = null
  return () => {
    following ??= followOnce().finally(() => {
      following = null
    })
    return following
  }
}
