import { defineCommand, jsonOption } from '../../cli/command.ts'
import { readStore } from '../../db/with-store.ts'
import { requireDirectory } from '../../git-work/rebuild-directory.ts'
import { awaitCopy } from '../../mission/await-copy.ts'
import { chooseMission } from '../../mission/choose.ts'
import { missionDirectory } from '../../mission/mission-directory.ts'

export default defineCommand<{ mission?: string; json?: boolean }>({
  description: "Print the directory that a mission's Claude works in.",
  arguments: [
    {
      name: 'mission',
      description: "its name or id (the start is enough), or '.' (default: pick from a list)",
    },
  ],
  options: [jsonOption],
  examples: ['agenc mission dir 3f2a', 'cd "$(agenc mission dir fix-login)"'],
  async run(context, { mission: word, json }) {
    const mission = await readStore(context, db => chooseMission(context, db, word))
    const { id } = mission
    await awaitCopy(context, id)
    const dir = missionDirectory(context.paths, mission)
    requireDirectory(context, mission)
    context.out.line(json ? JSON.stringify({ id, dir }) : dir)
    return 0
  },
})
