import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import { missionsOnRepo } from '../../db/missions.ts'
import { withStore } from '../../db/with-store.ts'
import { askWhetherTrusted } from '../../repo/ask-trust.ts'
import { addRepo, notesOnAdded, repoJson } from '../../repo/catalogue.ts'
import { sourceOf } from '../../repo/repo-source.ts'

interface Input {
  repo: string
  trust?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description: 'Clone a repo into the library that missions are copied from. Prints the id of the repo.',
  arguments: [
    { name: 'repo', description: 'owner/name (GitHub), a git URL, or a local path', required: true },
  ],
  options: [
    {
      flags: '--trust',
      description: 'fetch its submodules, let its filters and setup run; Claude skips its trust question',
    },
    { flags: '--no-trust', description: 'run nothing from the repo, leave submodules out, and do not ask' },
    quietOption,
    jsonOption,
  ],
  examples: [
    'agenc repo add owner/name',
    'agenc repo add git@example.com:team/app.git --no-trust',
    'agenc repo add ./app',
  ],
  async run(context, { repo: text, trust, json }) {
    const source = sourceOf(context, text, context.cwd)
    await withStore(context, async db => {
      const askTrust = () => askWhetherTrusted(context, source.id)
      const added = await addRepo(context, db, source, { trust, askTrust })
      for (const note of notesOnAdded(added)) context.err.line(note)
      const missions = missionsOnRepo(db, added.repo.id).length
      context.out.line(json ? JSON.stringify(repoJson(context, added.repo, missions)) : added.repo.id)
    })
    return 0
  },
})
