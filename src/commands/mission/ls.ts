import { defineCommand, jsonOption } from '../../cli/command.ts'
import { readRoster } from '../../mission/list.ts'

export default defineCommand<{ all?: boolean; json?: boolean }>({
  description: 'List missions, the most recently active first.',
  options: [{ flags: '-a, --all', description: 'include archived missions' }, jsonOption],
  examples: ['agenc mission ls', 'agenc mission ls --json | jq \'.[] | select(.status == "running") | .id\''],
  async run(context, { all, json }) {
    const missions = await readRoster(context, { archived: all })
    if (json) context.out.line(JSON.stringify(missions))
    else if (missions.length === 0) context.err.line("No missions yet. Start one with 'agenc mission new'.")
    else (await import('./ls-table.ts')).printMissions(context, missions)
    return 0
  },
})
