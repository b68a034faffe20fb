import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { readStore } from '../db/with-store.ts'
import { chooseMission } from './choose.ts'
import { describeMissions } from './list.ts'
import type { MissionJson } from './mission-json.ts'

/** The mission that the user named or picks, as it is now. `check` may throw. */
export function missionNow(
  context: Context,
  word: string | undefined,
  check: (context: Context, mission: MissionRecord) => void | Promise<void> = () => {},
): Promise<MissionJson> {
  return readStore(context, async db => {
    const record = await chooseMission(context, db, word)
    await check(context, record)
    return (await describeMissions(context, db!, [record]))[0]!
  })
}
