import { loadConfig } from '../../config/file.ts'
import { getMission } from '../../db/missions.ts'
import { readStore } from '../../db/store.ts'
import { isMissionId } from '../../mission/id.ts'
import { systemProbe } from '../../process/identity.ts'
import { endTree } from '../../process/tree.ts'
import { statusNow } from '../../roster/roster.ts'
import { defineCommand } from '../command.ts'

export default defineCommand<{ mission: string }>({
  description: 'End the Claude of a wrapper that was killed. For agenc itself.',
  arguments: [{ name: 'mission', description: 'full id', required: true }],
  examples: ['agenc mission _reap 3f2a91bc-…'],
  async run(context, { mission: id }) {
    if (!isMissionId(id)) return 0
    const mission = await readStore(context, db => db && getMission(db, id))
    if (!mission || mission.claude_pid === null || mission.claude_start === null) return 0
    if (statusNow(context, mission) === 'running') return 0
    const claude = { pid: mission.claude_pid, start: mission.claude_start }
    const { grace_ms: graceMs } = loadConfig(context.paths.config).stop
    await endTree(context.exec, systemProbe(context.exec), claude, 'SIGHUP', graceMs)
    return 0
  },
})
