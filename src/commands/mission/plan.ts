import { readFileSync } from 'node:fs'
import { defineCommand, jsonOption } from '../../cli/command.ts'
import type { MissionRecord } from '../../db/missions.ts'
import { listPlans } from '../../db/plans.ts'
import { readStore } from '../../db/with-store.ts'
import { AgencError } from '../../errors.ts'
import { chooseMission } from '../../mission/choose.ts'
import { shortId } from '../../mission-id.ts'

export default defineCommand<{ mission?: string; json?: boolean }>({
  description:
    "Print a mission's latest plan. On a terminal it is formatted; elsewhere it is printed as Markdown.",
  arguments: [
    {
      name: 'mission',
      description: "its name or id (the start is enough), or '.' (default: pick from a list)",
    },
  ],
  options: [jsonOption],
  examples: ['agenc mission plan 3f2a', 'agenc mission plan . > plan.md'],
  async run(context, { mission: word, json }) {
    const { out } = context
    const { mission, plans } = await readStore(context, async db => {
      const chosen = await chooseMission(context, db, word)
      return { mission: chosen, plans: listPlans(db!, chosen.id) }
    })
    const path = plans.at(-1)
    if (path === undefined) throw new AgencError(`${shortId(mission.id)} has no plan yet`)
    const text = readPlan(mission, path)
    if (json) out.line(JSON.stringify({ mission_id: mission.id, path, text }))
    else if (out.isTerminal) {
      // Loaded only here: the parser takes 30 ms, and a pipe gets the text as it is.
      const { renderMarkdown } = await import('../../io/markdown.ts')
      out.write(renderMarkdown(text, out))
    } else out.write(text.endsWith('\n') ? text : `${text}\n`)
    return 0
  },
})

function readPlan({ id }: MissionRecord, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new AgencError(
      `cannot read the plan of ${shortId(id)}: ${(error as Error).message}`,
      `Run 'agenc mission show ${shortId(id)}' to list its plans.`,
    )
  }
}
