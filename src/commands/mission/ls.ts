import { defineCommand, jsonOption } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import { ago } from '../../io/relative-time.ts'
import { printTable } from '../../io/table.ts'
import { cleanText } from '../../io/text.ts'
import { changesWords } from '../../mission/changes-words.ts'
import { remindOfHold, stateAndHold } from '../../mission/hold-words.ts'
import { listMissionRows, type MissionRow } from '../../mission/list.ts'
import { repoOrDirectory } from '../../mission/naming.ts'
import { stateStyle } from '../../mission/state-word.ts'

export default defineCommand<{ all?: boolean; tree?: boolean; json?: boolean }>({
  description:
    'List missions: those that wait for you first, then those that are done, then the most recently active. CHANGES has the lines that were added and deleted since the base, ↑ with the number of commits, and * if something is not committed. A ! marks work that would conflict with other work. QUEUED counts the messages that were sent and not taken yet.',
  options: [
    { flags: '-a, --all', description: 'include archived missions' },
    { flags: '--tree', description: 'show missions below the mission that has started them' },
    jsonOption,
  ],
  examples: ['agenc mission ls', 'agenc mission ls --json | jq \'.[] | select(.status == "running") | .id\''],
  async run(context, { all, tree, json }) {
    const rows = await listMissionRows(context, { archived: all })
    if (json) context.out.line(JSON.stringify(rows.map(({ mission }) => mission)))
    else if (rows.length === 0) context.err.line("No missions yet. Start one with 'agenc mission new'.")
    else if (tree) printMissions(context, ...(await asTree(rows)))
    else printMissions(context, rows)
    if (!json) remindOfHold(context)
    return 0
  },
})

async function asTree(rows: readonly MissionRow[]): Promise<[MissionRow[], string[]]> {
  const { missionTree } = await import('../../mission/mission-tree.ts')
  const tree = missionTree(rows.map(row => ({ ...row, id: row.mission.id, parent: row.mission.parent_id })))
  return [tree.map(({ item }) => item), tree.map(({ lines }) => lines)]
}

/** `lines` lead to each mission from the one above it. */
function printMissions(context: Context, rows: readonly MissionRow[], lines: readonly string[] = []): void {
  const { out, now } = context
  const missions = rows.map(({ mission }) => mission)
  const time = now()
  printTable(out, [
    {
      title: 'ID',
      cells: missions.map((mission, row) => (lines[row] ?? '') + mission.short_id),
      isWhole: true,
    },
    {
      title: 'STATE',
      cells: rows.map(row => stateAndHold(context, row)),
      style: row => (rows[row]!.failedToStart ? 'red' : stateStyle(missions[row]!)),
    },
    {
      title: 'REPO',
      cells: missions.map(repoOrDirectory),
      shrinks: true,
    },
    {
      title: 'ABOUT',
      cells: missions.map(({ name, about }) => cleanText(name ?? about ?? '')),
      style: row => (missions[row]!.name === null ? 'dim' : undefined),
      shrinks: true,
    },
    { title: 'CHANGES', cells: missions.map(({ changes }) => changesWords(changes)), isOptional: true },
    {
      title: '!',
      cells: missions.map(({ conflicts }) => (conflicts.length > 0 ? '!' : '')),
      style: () => 'yellow',
    },
    { title: 'QUEUED', cells: missions.map(({ queued }) => (queued.length > 0 ? `${queued.length}` : '')) },
    { title: 'PR', cells: missions.map(({ pr }) => (pr?.number ? `#${pr.number}` : '')) },
    {
      title: 'WINDOW',
      cells: rows.map(({ windowNumber, mission }) => windowNumber ?? (mission.headless ? 'headless' : '')),
    },
    { title: 'ACTIVE', cells: missions.map(mission => ago(mission.last_active_at, time)) },
  ])
}
