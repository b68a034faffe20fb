import { defineCommand, jsonOption } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import { listLoops } from '../../db/loops.ts'
import { readStore } from '../../db/with-store.ts'
import { ago } from '../../io/relative-time.ts'
import { printTable } from '../../io/table.ts'
import { cleanText } from '../../io/text.ts'
import { describeLoops } from '../../loop/find-loop.ts'
import type { LoopJson } from '../../loop/loop-json.ts'
import { statusStyle } from '../../loop/loop-words.ts'
import { shortId } from '../../mission-id.ts'

export default defineCommand<{ json?: boolean }>({
  description: 'List loops, newest first.',
  options: [jsonOption],
  examples: ['agenc loop ls', 'agenc loop ls --json | jq -r \'.[] | select(.status == "running") | .id\''],
  async run(context, { json }) {
    const loops = await readStore(context, db => (db ? describeLoops(context, db, listLoops(db)) : []))
    if (json) context.out.line(JSON.stringify(loops))
    else if (loops.length === 0) context.err.line("There are no loops. Start one with 'agenc loop start'.")
    else printLoops(context, loops)
    return 0
  },
})

/** A loop that was continued may have had more rounds than its limit, which counts from there. */
function roundOf({ round, limits }: LoopJson): string {
  return round > limits.max ? `${round}` : `${round}/${limits.max}`
}

function printLoops({ out, now }: Context, loops: readonly LoopJson[]): void {
  const time = now()
  printTable(out, [
    { title: 'LOOP', cells: loops.map(({ short_id }) => short_id) },
    {
      title: 'STATUS',
      cells: loops.map(({ status }) => status),
      style: row => statusStyle[loops[row]!.status],
    },
    { title: 'ROUND', cells: loops.map(roundOf) },
    { title: 'MISSION', cells: loops.map(loop => loop.mission_name ?? shortId(loop.mission_id)) },
    { title: 'STARTED', cells: loops.map(({ created_at }) => ago(created_at, time)) },
    { title: 'UNTIL', cells: loops.map(({ until }) => cleanText(until)), shrinks: true },
  ])
}
