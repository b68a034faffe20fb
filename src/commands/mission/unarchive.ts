import { defineCommand, jsonOption } from '../../cli/command.ts'
import { withStore } from '../../db/with-store.ts'
import { unarchiveMissions } from '../../mission/archive.ts'
import { chooseMissions } from '../../mission/choose.ts'
import { missionService } from '../../mission/open-service.ts'

export default defineCommand<{ missions: string[]; json?: boolean }>({
  arguments: [{ name: 'missions', description: 'their names or ids', variadic: true }],
  options: [jsonOption],
  examples: ['agenc mission unarchive 3f2a'],
  async run(context, { missions: words, json }) {
    const ids = await withStore(context, async db => {
      const chosen = await chooseMissions(context, db, words)
      const archived = chosen.filter(({ archived_at }) => archived_at !== null)
      unarchiveMissions(missionService(context, db), archived)
      return chosen.map(({ id }) => id)
    })
    if (json) context.out.line(JSON.stringify(ids.map(id => ({ id, archived: false }))))
    return 0
  },
})
