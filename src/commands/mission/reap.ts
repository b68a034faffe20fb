import { defineCommand } from '../../cli/command.ts'
import { stopGraceMs } from '../../config/read.ts'
import type { Context } from '../../context.ts'
import { abandonRequests } from '../../db/approvals.ts'
import type { MissionRecord } from '../../db/mission-record.ts'
import { getMission } from '../../db/missions.ts'
import { readStore, withStore } from '../../db/with-store.ts'
import { statusNow } from '../../mission/list.ts'
import { isMissionId, type MissionId } from '../../mission-id.ts'
import { systemProbe } from '../../system/process-identity.ts'
import { endTree } from '../../system/process-tree.ts'

export default defineCommand<{ mission: string }>({
  description: 'End the Claude of a wrapper that was killed. For agenc itself.',
  arguments: [{ name: 'mission', description: 'full id', required: true }],
  examples: ['agenc mission _reap 3f2a91bc-…'],
  async run(context, { mission: id }) {
    if (!isMissionId(id)) return 0
    const mission = await readStore(context, db => db && getMission(db, id))
    if (!mission || statusNow(context, mission) === 'running') return 0
    await endClaude(context, mission)
    await closeRequests(context, id)
    return 0
  },
})

async function endClaude(context: Context, { claude_pid: pid, claude_start: start }: MissionRecord) {
  if (pid === null || start === null) return
  const graceMs = await stopGraceMs(context.paths)
  await endTree(context.exec, systemProbe(context.exec), { pid, start }, 'SIGHUP', graceMs)
}

/** Unless somebody runs the mission again by now: then they are that one's. */
function closeRequests(context: Context, id: MissionId): Promise<void> {
  return withStore(context, db => {
    db.transaction(() => {
      const mission = getMission(db, id)
      if (mission && statusNow(context, mission) !== 'running') abandonRequests(db, id)
    }).immediate()
  })
}
