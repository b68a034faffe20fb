import { defineCommand, jsonOption } from '../../cli/command.ts'
import { withStore } from '../../db/with-store.ts'
import { usageError } from '../../errors.ts'
import { undoTurns } from '../../git-work/undo.ts'
import { chooseMission } from '../../mission/choose.ts'
import { missionTitle } from '../../mission/tell-done.ts'
import { shortId } from '../../mission-id.ts'
import { interruptible } from '../../system/signals.ts'

export default defineCommand<{ mission: string; turn?: string; json?: boolean }>({
  description:
    "Put a mission's files back as they were before its latest turn. Commits, the index, and files that git ignores stay as they are. The present state is recorded first, so an undo can be undone.",
  arguments: [{ name: 'mission', description: "its name or id, or '.'", required: true }],
  options: [
    { flags: '--turn <n>', description: 'the state after turn n instead; 0 is the state at the start' },
    jsonOption,
  ],
  examples: ['agenc mission undo 3f2a', 'agenc mission undo . --turn 4'],
  async run(context, { mission: word, turn, json }) {
    const wanted = turn === undefined ? undefined : parseTurn(turn)
    await withStore(context, async db => {
      const mission = await chooseMission(context, db, word)
      const undone = await interruptible(signal => undoTurns(context, db, mission, wanted, signal))
      if (json) {
        context.out.line(JSON.stringify({ id: mission.id, ...undone }))
        return
      }
      const state = undone.turn === 0 ? 'the start' : `turn ${undone.turn}`
      const files = `${undone.files} ${undone.files === 1 ? 'file' : 'files'} changed`
      context.out.line(`${missionTitle(mission)} is back at ${state} (${files}).`)
      context.out.line(
        `Its state before is checkpoint ${undone.recorded}: agenc mission undo ${shortId(mission.id)} --turn ${undone.recorded}`,
      )
    })
    return 0
  },
})

function parseTurn(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw usageError(`${JSON.stringify(text)} is not the number of a turn`, 'Give a number such as 3, or 0.')
}
