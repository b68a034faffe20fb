import type { Context } from '../../context.ts'
import { readStore } from '../../db/with-store.ts'
import type { Sighting } from '../../editor/detect.ts'
import { look, type Surroundings } from '../../editor/sighting.ts'
import { windowSystemFor } from '../../editor/windows/window-system.ts'
import { chooseMission } from '../../mission/choose.ts'
import { describeMissions } from '../../mission/list.ts'
import type { MissionJson } from '../../mission/mission-json.ts'
import { tmuxOf } from '../../tmux/server.ts'

export function surroundingsOf(context: Context): Surroundings {
  const { env, exec } = context
  const { platform } = process
  const windows = windowSystemFor(platform, env, exec)
  return { platform, env, exec, windows, tmuxSocket: tmuxOf(context).socket }
}

/** In the order of the missions; those that do not run have no processes to look for. */
export function sightMissions(surroundings: Surroundings, missions: readonly MissionJson[]): Sighting[] {
  return look(
    surroundings,
    // The wrapper was found alive by its start time just now; Claude is its child and has the same parents.
    missions.map(({ short_id, wrapper_pid }) => ({
      shortId: short_id,
      pids: wrapper_pid === null ? [] : [wrapper_pid],
    })),
  )
}

/** The mission a user named, as it is now. */
export function missionNamed(context: Context, word: string | undefined): Promise<MissionJson> {
  return readStore(context, async db => {
    const record = await chooseMission(context, db, word)
    return (await describeMissions(context, db!, [record]))[0]!
  })
}
