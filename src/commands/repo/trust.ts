import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import { missionsOnRepo } from '../../db/missions.ts'
import { listReposByUse } from '../../db/repos.ts'
import { withStore } from '../../db/with-store.ts'
import { repoJson, trustRepo } from '../../repo/catalogue.ts'
import { chooseRepo } from '../../repo/choose-repo.ts'
import { displayRepo } from '../../repo/reference.ts'

export default defineCommand<{ repo?: string; revoke?: boolean; json?: boolean }>({
  description:
    'Trust a repo. New missions get its submodules, its filters and setup command may run, and Claude skips its trust question. Permissions are still asked.',
  arguments: [{ name: 'repo', description: 'a repo in the library (default: pick from a list)' }],
  options: [{ flags: '--revoke', description: 'stop trusting it' }, quietOption, jsonOption],
  examples: ['agenc repo trust owner/name', 'agenc repo trust owner/name --revoke'],
  async run(context, { repo: word, revoke = false, json }) {
    await withStore(context, async db => {
      const { id } = await chooseRepo(context, listReposByUse(db), word, 'Trust: pick a repo')
      const repo = trustRepo(context, db, id, !revoke)
      if (json) context.out.line(JSON.stringify(repoJson(context, repo, missionsOnRepo(db, id).length)))
      else context.err.line(`${displayRepo(id)} is ${revoke ? 'no longer' : 'now'} trusted.`)
    })
    return 0
  },
})
