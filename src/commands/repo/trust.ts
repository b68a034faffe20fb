import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import { missionsOnRepo } from '../../db/missions.ts'
import { getRepo, listRepos, setRepoTrusted } from '../../db/repos.ts'
import { withStore } from '../../db/with-store.ts'
import { displayRepo } from '../../mission/naming.ts'
import { chooseRepo } from '../../repo/choose-repo.ts'
import { repoJson } from './repo-json.ts'

export default defineCommand<{ repo?: string; revoke?: boolean; json?: boolean }>({
  description: 'Trust a repo: in new missions its filters and setup may run, and Claude works in it unasked.',
  arguments: [{ name: 'repo', description: 'a repo of the library; left out: a picker' }],
  options: [{ flags: '--revoke', description: 'trust it no longer' }, quietOption, jsonOption],
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
