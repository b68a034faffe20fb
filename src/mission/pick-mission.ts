import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { pick } from '../io/picker.ts'
import { ago } from '../io/relative-time.ts'
import type { MissionId } from '../mission-id.ts'
import { describeRows, type MissionRow } from './list.ts'
import type { Status } from './mission-status.ts'
import { repoOrDirectory } from './naming.ts'
import { stateWord } from './state-word.ts'

export interface PickerOptions {
  /** Says what the choice is for. */
  title: string
  /** Missions with the statuses of the first group come first, and so on. Others come last. */
  order?: readonly (readonly Status[])[]
}

/** Lets the user pick a mission by its state, what it is about, and its age. */
export async function pickMission(
  context: Context,
  db: Database,
  missions: readonly MissionRecord[],
  { title, order = [] }: PickerOptions,
): Promise<MissionId> {
  const rank = ({ mission }: MissionRow) => {
    const group = order.findIndex(statuses => statuses.includes(mission.status))
    return group === -1 ? order.length : group
  }
  const rows = (await describeRows(context, db, missions)).toSorted((a, b) => rank(a) - rank(b))
  const now = context.now()
  return pick(
    context,
    title,
    rows.map(row => ({
      value: row.mission.id,
      cells: [
        row.mission.short_id,
        markedState(row),
        row.mission.name ?? row.mission.about ?? '',
        repoOrDirectory(row.mission),
        ago(row.mission.last_active_at, now),
      ],
    })),
  )
}

function markedState(row: MissionRow): string {
  const word = stateWord(row.mission, row)
  return row.mission.status === 'running' ? `running (${word})` : word
}
