import { defineCommand } from '../../cli/command.ts'
import { isMissionId } from '../../mission-id.ts'
import { reapMission } from '../../wrapper/reap-killed-wrapper.ts'

export default defineCommand<{ mission: string }>({
  description: 'End the Claude of a wrapper that was killed. For internal use.',
  arguments: [{ name: 'mission', description: 'its full id', required: true }],
  examples: ['agenc mission _reap 3f2a91bc-…'],
  async run(context, { mission: id }) {
    if (isMissionId(id)) await reapMission(context, id)
    return 0
  },
})
