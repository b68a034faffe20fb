import type { Context } from '../../context.ts'
import { ago } from '../../io/ago.ts'
import type { Style } from '../../io/colour.ts'
import { printTable } from '../../io/table.ts'
import { cleanText } from '../../io/text.ts'
import type { MissionJson } from '../../mission/json.ts'
import { displayRepo } from '../../mission/naming.ts'
import { readRoster } from '../../roster/roster.ts'
import { defineCommand, jsonOption } from '../command.ts'

export default defineCommand<{ all?: boolean; json?: boolean }>({
  description: 'List missions, the most recently active first.',
  options: [{ flags: '-a, --all', description: 'with archived ones' }, jsonOption],
  examples: ['agenc mission ls', 'agenc mission ls --json | jq \'.[] | select(.status == "running") | .id\''],
  async run(context, { all, json }) {
    const missions = await readRoster(context, { archived: all })
    if (json) context.out.line(JSON.stringify(missions))
    else if (missions.length === 0) context.err.line("No missions yet. Start one with 'agenc mission new'.")
    else printMissions(context, missions)
    return 0
  },
})

export const stateStyles: Record<string, Style> = {
  waiting: 'yellow',
  busy: 'green',
  idle: 'cyan',
  starting: 'dim',
  crashed: 'red',
  stopped: 'dim',
  archived: 'dim',
}

function printMissions({ out, now }: Context, missions: readonly MissionJson[]): void {
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

/** What a person wants to know first: what it does, or why it does nothing. */
export function stateWord(mission: MissionJson): string {
  if (mission.status !== 'running') return mission.status
  if (mission.state === 'waiting' && mission.waiting_for) return `waiting: ${mission.waiting_for}`
  return `${mission.state}${mission.background ? ' +bg' : ''}`
}
