import { defineCommand, jsonOption } from '../cli/command.ts'
import type { Context } from '../context.ts'
import { desktopOf, locateMissions } from '../editor/desktop.ts'
import { presenceJson } from '../editor/mission-presence.ts'
import { printTable } from '../io/table.ts'
import { cleanText } from '../io/text.ts'
import { changesWords } from '../mission/changes-words.ts'
import { remindOfHold, stateAndHold } from '../mission/hold-words.ts'
import { listMissionRows } from '../mission/list.ts'
import type { MissionJson } from '../mission/mission-json.ts'
import { repoOrDirectory } from '../mission/naming.ts'
import { tmuxClients } from '../tmux/clients.ts'

/** A mission and where it can be seen. */
export type LocatedMission = MissionJson & ReturnType<typeof presenceJson>

export interface StatusJson {
  missions: LocatedMission[]
  summary: Record<(typeof counted)[number], number>
}

const counted = ['running', 'idle', 'busy', 'waiting', 'stopped', 'crashed'] as const

export default defineCommand<{ json?: boolean }>({
  description: 'Show every mission with its state and the window that shows it.',
  options: [jsonOption],
  examples: ['agenc status', "agenc status --json | jq '.summary.waiting'"],
  async run(context, { json }) {
    const rows = await listMissionRows(context)
    const missions = withPresences(
      context,
      rows.map(({ mission }) => mission),
    )
    const summary = summaryOf(missions)
    if (json) context.out.line(JSON.stringify({ missions, summary } satisfies StatusJson))
    else if (missions.length === 0) context.err.line("No missions yet. Start one with 'agenc mission new'.")
    else {
      printMissions(
        context,
        missions,
        rows.map(row => stateAndHold(context, row)),
      )
      const counts = counted.filter(word => summary[word] > 0).map(word => `${summary[word]} ${word}`)
      context.out.line(`\n${counts.join(', ')}`)
    }
    if (!json) remindOfHold(context)
    return 0
  },
})

function withPresences(context: Context, missions: readonly MissionJson[]): LocatedMission[] {
  const presences = locateMissions(desktopOf(context, tmuxClients(context)), missions)
  return missions.map((mission, index) => ({ ...mission, ...presenceJson(presences[index]!) }))
}

/** A mission that waits for the user counts as running and as waiting. */
function summaryOf(missions: readonly MissionJson[]): StatusJson['summary'] {
  const count = (word: string) =>
    missions.filter(({ status, state }) => status === word || state === word).length
  return {
    running: count('running'),
    idle: count('idle'),
    busy: count('busy'),
    waiting: count('waiting'),
    stopped: count('stopped'),
    crashed: count('crashed'),
  }
}

/** A mission that was started without a terminal is nobody's orphan. */
function presenceWord({ presence, headless }: LocatedMission): string {
  return headless && presence === 'orphan' ? 'headless' : presence
}

/** Columns with free text come last: a narrow terminal cuts them first. */
function printMissions(
  { out }: Context,
  missions: readonly LocatedMission[],
  states: readonly string[],
): void {
  const cells = (text: (mission: LocatedMission) => string | null) =>
    missions.map(mission => text(mission) ?? '-')
  printTable(out, [
    { title: 'ID', cells: cells(({ short_id }) => short_id) },
    { title: 'STATE', cells: states },
    { title: 'PRESENCE', cells: cells(presenceWord) },
    { title: 'WINDOW', cells: cells(({ window_id }) => window_id) },
    {
      title: 'EDITOR',
      cells: cells(({ editor_type }) => editor_type && cleanText(editor_type)),
      shrinks: true,
    },
    { title: 'CHANGES', cells: missions.map(({ changes }) => changesWords(changes)), isOptional: true },
    { title: 'REPO', cells: cells(repoOrDirectory), shrinks: true },
    { title: 'NAME', cells: cells(({ name }) => cleanText(name ?? '')), shrinks: true },
  ])
}
