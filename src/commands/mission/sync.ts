import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import { withStore } from '../../db/with-store.ts'
import { syncMission } from '../../git-work/sync.ts'
import { chooseMission } from '../../mission/choose.ts'
import { missionTitle } from '../../mission/tell-done.ts'
import { interruptible } from '../../system/signals.ts'
import { withHelpOfClaude } from '../../wrapper/ask-claude.ts'
import { askOption } from './ask-option.ts'

interface Input {
  mission?: string
  rebase?: boolean
  base?: string
  offline?: boolean
  ask?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Fetch the newest base of a mission and bring it into its branch and its files. The mission must be idle or stopped, and have nothing uncommitted. If it would conflict, the files are named and nothing changes.',
  arguments: [{ name: 'mission', description: "its name or id, or '.' (default: pick from a list)" }],
  options: [
    { flags: '--rebase', description: "put the mission's commits on top of the base (default: merge)" },
    { flags: '--base <branch>', description: 'take another branch as its base from now on' },
    { flags: '--offline', description: 'do not fetch; take the base as the library has it' },
    askOption,
    quietOption,
    jsonOption,
  ],
  examples: ['agenc mission sync 3f2a', 'agenc mission sync 3f2a --rebase'],
  async run(context, { mission: word, rebase = false, base, offline = false, ask, json }) {
    await withStore(context, async db => {
      const mission = await chooseMission(context, db, word, {
        title: 'Bring the newest base into a mission',
      })
      // Ctrl-C also reaches git. What it then leaves must be put back first.
      const synced = await withHelpOfClaude(context, db, mission, ask, now =>
        interruptible(() => syncMission(context, db, now, { rebase, base, offline })),
      )
      const { commits, base: taken } = synced
      if (json) context.out.line(JSON.stringify({ id: mission.id, rebase, ...synced }))
      else if (commits === 0)
        context.out.line(`${missionTitle(mission)} already has the newest ${taken.ref}.`)
      else
        context.out.line(
          `${missionTitle(mission)} now has ${commits} new ${commits === 1 ? 'commit' : 'commits'} of ${taken.ref}.`,
        )
    })
    return 0
  },
})
