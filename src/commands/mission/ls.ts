import { defineCommand, jsonOption } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import { ago } from '../../io/relative-time.ts'
import { printTable } from '../../io/table.ts'
import { cleanText } from '../../io/text.ts'
import { remindOfHold, stateAndHold } from '../../mission/hold-words.ts'
import { listMissionsNow } from '../../mission/list.ts'
import type { MissionJson } from '../../mission/mission-json.ts'
import { stateStyles } from '../../mission/state-word.ts'
import { displayRepo } from '../../repo/reference.ts'

export default defineCommand<{ all?: boolean; json?: boolean }>({
  description: 'List missions, the most recently active first.',
  options: [{ flags: '-a, --all', description: 'include archived missions' }, jsonOption],
  examples: ['agenc mission ls', 'agenc mission ls --json | jq \'.[] | select(.status == "running") | .id\''],
  async run(context, { all, json }) {
    const missions = await listMissionsNow(context, { archived: all })
    if (json) context.out.line(JSON.stringify(missions))
    else if (missions.length === 0) context.err.line("No missions yet. Start one with 'agenc mission new'.")
    else printMissions(context, missions)
    if (!json) remindOfHold(context)
    return 0
  },
})

function printMissions(context: Context, missions: readonly MissionJson[]): void {
  const { out, now } = context
  const time = now()
  printTable(out, [
    { title: 'ID', cells: missions.map(mission => mission.short_id) },
    {
      title: 'STATE',
      cells: missions.map(mission => stateAndHold(context, mission)),
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
