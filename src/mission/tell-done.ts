import type { Context } from '../context.ts'
import { truncate } from '../io/text.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { displayName } from './naming.ts'

interface Named {
  id: MissionId
  name: string | null
  repo: string | null
}

const titleColumns = 40
const mostTitles = 3

/** `3f2a0c11 fix the login` */
export function missionTitle(mission: Named): string {
  return `${shortId(mission.id)} ${displayName(mission)}`
}

/** Says in one line what was done to which missions. Only on a terminal: a script sees the exit code. */
export function tellDone(context: Context, done: string, missions: readonly Named[]): void {
  if (missions.length === 0) return
  const titles = missions.slice(0, mostTitles).map(mission => truncate(missionTitle(mission), titleColumns))
  const more = missions.length - titles.length
  tell(context, `${done} ${[...titles, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')}.`)
}

/** For a mission that was started without a terminal. */
export function tellHowToFollow(context: Context, id: MissionId): void {
  tell(context, `Runs without a terminal. Follow it with: agenc mission print -f ${shortId(id)}`)
}

export function tell({ err }: Context, line: string): void {
  if (err.isTerminal) err.line(line)
}
