import type { Context } from '../../context.ts'
import { ago } from '../../io/relative-time.ts'
import { printTable } from '../../io/table.ts'
import { cleanText } from '../../io/text.ts'
import type { MissionJson } from '../../mission/mission-json.ts'
import { displayRepo } from '../../mission/naming.ts'
import { stateStyles, stateWord } from './state-word.ts'

export function printMissions({ out, now }: Context, missions: readonly MissionJson[]): void {
  const time = now()
  printTable(out, [
    { title: 'ID', cells: missions.map(mission => mission.short_id) },
    {
      title: 'STATE',
      cells: missions.map(stateWord),
      style: row => stateStyles[missions[row]!.state ?? missions[row]!.status],
    },
    {
      title: 'REPO',
      cells: missions.map(({ repo }) => (repo ? displayRepo(repo) : '(blank)')),
      shrinks: true,
    },
    { title: 'NAME', cells: missions.map(({ name }) => cleanText(name ?? '')), shrinks: true },
    { title: 'WINDOW', cells: missions.map(mission => mission.tmux_window ?? '') },
    { title: 'ACTIVE', cells: missions.map(mission => ago(mission.last_active_at, time)) },
  ])
}
