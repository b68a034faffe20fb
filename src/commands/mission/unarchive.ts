import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import { withStore } from '../../db/with-store.ts'
import { unarchiveMissions } from '../../mission/archive.ts'
import { chooseMissions } from '../../mission/choose.ts'
import { missionService } from '../../mission/open-service.ts'
import { tellDone } from '../../mission/tell-done.ts'

export default defineCommand<{ missions: string[]; json?: boolean }>({
  arguments: [{ name: 'missions', description: 'their names or ids', variadic: true }],
  options: [quietOption, jsonOption],
  examples: ['agenc mission unarchive 3f2a'],
  async run(context, { missions: words, json }) {
    const { chosen, archived } = await withStore(context, async db => {
      const chosen = await chooseMissions(context, db, words, {
        title: 'Unarchive a mission',
        order: [['archived']],
      })
      const archived = chosen.filter(({ archived_at }) => archived_at !== null)
      unarchiveMissions(missionService(context, db), archived)
      return { chosen, archived }
    })
    if (json) context.out.line(JSON.stringify(chosen.map(({ id }) => ({ id, archived: false }))))
    else if (archived.length > 0) tellDone(context, 'Brought back', archived)
    else tellDone(context, 'Not archived:', chosen)
    return 0
  },
})
