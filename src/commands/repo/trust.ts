import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import { missionsOnRepo } from '../../db/missions.ts'
import { getRepo, listRepos, setRepoTrusted } from '../../db/repos.ts'
import { withStore } from '../../db/with-store.ts'
import { displayRepo } from '../../mission/naming.ts'
import { chooseRepo } from '../../repo/choose-repo.ts'
import { repoJson } from './repo-json.ts'

export default defineCommand<{ repo?: string; revoke?: boolean; json?: boolean }>({
  description:
    'Trust a repo. In new missions, its filters and setup command may run, and Claude skips its trust question. Permissions are still asked.',
  arguments: [{ name: 'repo', description: 'a repo in the library (default: pick from a list)' }],
  options: [{ flags: '--revoke', description: 'stop trusting it' }, quietOption, jsonOption],
  examples: ['agenc repo trust owner/name', 'agenc repo trust owner/name --revoke'],
  async run(context, { repo: word, revoke = false, json }) {
    await withStore(context, async db => {
      const { id } = await chooseRepo(context, listRepos(db), word)
      setRepoTrusted(db, id, !revoke)
      const repo = repoJson(context, getRepo(db, id)!, missionsOnRepo(db, id).length)
      if (json) context.out.line(JSON.stringify(repo))
      else context.err.line(`${displayRepo(id)} is ${revoke ? 'no longer' : 'now'} trusted.`)
    })
    return 0
  },
})
