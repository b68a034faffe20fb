import { existsSync } from 'node:fs'
import { defineCommand } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import { getMission } from '../../db/missions.ts'
import { readStore } from '../../db/with-store.ts'
import { AgencError, usageError } from '../../errors.ts'
import { keepPrompt } from '../../mission/first-prompt.ts'
import { isMissionId, type MissionId, shortId } from '../../mission-id.ts'
import { parseIdentity } from '../../system/process-identity.ts'
import { conversationOf } from '../../wrapper/find-conversation.ts'
import { runHere } from '../../wrapper/run-here.ts'

interface Input {
  mission: string
  resume?: boolean
  prompt?: string
  openedBy?: string
  killed?: boolean
}

export default defineCommand<Input>({
  description: 'Run one mission in this terminal. For internal use.',
  arguments: [{ name: 'mission', description: 'its full id', required: true }],
  options: [
    { flags: '--resume', description: 'continue its conversation; fail if it has none' },
    { flags: '--prompt <text>', description: 'the first prompt for Claude' },
    { flags: '--killed', description: 'say that its wrapper was killed, and offer to resume it' },
    { flags: '--opened-by <process>', description: 'the process that reserved the lease for this one' },
  ],
  examples: ['agenc mission _run-wrapper 3f2a91bc-…'],
  async run(context, { mission: id, resume, prompt, openedBy, killed }) {
    if (!isMissionId(id)) throw usageError(`${JSON.stringify(id)} is not a mission id`, 'Give the full id.')
    const paths = context.paths.mission(id)
    if (!existsSync(paths.root)) throw usageError(`there is no mission ${id}`, "Run 'agenc mission ls -a'.")
    if (resume) await refuseUnbegun(context, id)
    if (prompt !== undefined) keepPrompt(paths, prompt)
    return runHere(context, id, { opener: parseIdentity(openedBy ?? ''), wasKilled: killed })
  },
})

async function refuseUnbegun(context: Context, id: MissionId): Promise<void> {
  const mission = await readStore(context, db => db && getMission(db, id))
  if (!mission) return
  const { hasBegun, forkedFrom } = conversationOf(mission, context.env)
  if (hasBegun || forkedFrom !== null) return
  throw new AgencError(`mission ${shortId(id)} has no conversation to resume`, 'Omit --resume to start one.')
}
