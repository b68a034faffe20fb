import { defineCommand, jsonOption } from '../../cli/command.ts'
import type { MissionRecord } from '../../db/missions.ts'
import { getMission } from '../../db/missions.ts'
import { withStore } from '../../db/with-store.ts'
import { requireDirectory } from '../../git-work/rebuild-directory.ts'
import { chooseMission } from '../../mission/choose.ts'
import { copyOf } from '../../mission/copied-mission.ts'
import { createMission } from '../../mission/create.ts'
import { firstPrompt } from '../../mission/first-prompt.ts'
import { describeMissions } from '../../mission/list.ts'
import { missionName } from '../../mission/naming.ts'
import { destinationFor, launchMission } from '../../wrapper/launch.ts'
import { windowOptions } from './window-options.ts'

interface Input {
  mission?: string
  name?: string
  prompt?: string
  focus?: boolean
  detach?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description:
    'Start a new mission from a copy of another one: its files as they are now, and its conversation so far.',
  arguments: [
    {
      name: 'mission',
      description: "its name or id (the start is enough), or '.' (default: pick from a list)",
    },
  ],
  options: [
    { flags: '--name <text>', description: 'a name for the new mission' },
    { flags: '--prompt <text>', description: "the first prompt for Claude; '-' reads it from stdin" },
    ...windowOptions,
    jsonOption,
  ],
  examples: ['agenc mission fork 3f2a', 'agenc mission fork . --prompt "try it the other way"'],
  async run(context, { mission: word, name, prompt, focus, detach, json }) {
    const destination = await destinationFor(context, { focus, detach }, { stdinIsPrompt: prompt === '-' })
    const mission = await withStore(context, async db => {
      const original = await chooseMission(context, db, word, { title: 'Fork a mission' })
      requireDirectory(context, original)
      const fork = await createMission(context, db, {
        source: copyOf(context, original),
        copy: null,
        pullRequest: null,
        repo: original.repo,
        parentId: original.id,
        name: name === undefined ? original.name : missionName(name),
        permissionMode: original.permission_mode,
        approve: original.approve,
        model: original.model,
        mayAnswer: original.may_answer === 1,
        areRightsInherited: true,
        prompt: firstPrompt(prompt),
        headless: null,
        about: original.about,
        forkedSessionId: sessionToBranchFrom(getMission(db, original.id)!),
      })
      context.out.line(json ? JSON.stringify((await describeMissions(context, db, [fork]))[0]) : fork.id)
      return fork
    })
    return launchMission(context, destination, mission, { focus, detach })
  },
})

/** A fork without messages is branched where the fork itself began. Returns null if there is no conversation yet. */
function sessionToBranchFrom(original: MissionRecord): string | null {
  return original.session_begun === 1 ? original.session_id : original.forked_session_id
}
