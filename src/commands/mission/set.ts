import { defineCommand, jsonOption } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import { recordEvent } from '../../db/events.ts'
import type { MissionRecord } from '../../db/mission-record.ts'
import { getMission, type MissionChange, updateMission } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { withStore } from '../../db/with-store.ts'
import { usageError } from '../../errors.ts'
import { parseApprove } from '../../mission/approve-mode.ts'
import { chooseMission } from '../../mission/choose.ts'
import { rosterOf, statusNow } from '../../mission/list.ts'
import { shortId } from '../../mission-id.ts'
import { requestRestart } from '../../wrapper/send-control-message.ts'
import { checkMode, takesEffectLater } from './mode.ts'

interface Input {
  mission?: string
  permissionMode?: string
  follow?: boolean
  approve?: string
  model?: string
  restart?: boolean
  json?: boolean
}

export default defineCommand<Input>({
  description: 'Change the permission mode, the approvals or the model of one mission.',
  arguments: [{ name: 'mission', description: "its id, a prefix of it, or '.' (default: pick from a list)" }],
  options: [
    {
      flags: '--permission-mode <mode>',
      description: "what Claude may do without asking; see 'agenc help modes'",
    },
    { flags: '--follow', description: 'use the permission mode from the settings' },
    {
      flags: '--approve <who>',
      description: "who answers permission requests: ask, rules, all, or 'follow' for the settings",
    },
    {
      flags: '--model <model>',
      description: "the model that Claude uses ('' for the one from the settings)",
    },
    { flags: '--restart', description: 'if it is running, restart its Claude as soon as it is idle' },
    jsonOption,
  ],
  examples: [
    'agenc mission set 3f2a --permission-mode acceptEdits --restart',
    'agenc mission set . --approve rules',
  ],
  async run(context, input) {
    const change = changeOf(input)
    if (input.permissionMode !== undefined) await checkMode(context, input.permissionMode)
    await withStore(context, async db => {
      const { id } = await chooseMission(context, db, input.mission)
      db.transaction(() => {
        updateMission(db, id, change)
        recordEvent(db, id, context.now().toISOString(), 'set', { ...change })
      }).immediate()
      const mission = getMission(db, id)!
      const isRunning = statusNow(context, mission) === 'running'
      if (isRunning) tell(context, mission, change, input.restart ?? false)
      if (input.json) await printJson(context, db, mission)
    })
    return 0
  },
})

function changeOf({ permissionMode, follow, approve, model }: Input): MissionChange {
  if (follow && permissionMode !== undefined)
    throw usageError('--follow and --permission-mode exclude each other', 'Give one or the other.')
  const change: MissionChange = {
    ...(follow ? { permission_mode: null } : {}),
    ...(permissionMode === undefined ? {} : { permission_mode: permissionMode }),
    ...(approve === undefined ? {} : { approve: approve === 'follow' ? null : parseApprove(approve) }),
    ...(model === undefined ? {} : { model: model || null }),
  }
  if (Object.keys(change).length === 0)
    throw usageError('set what?', 'Give --permission-mode, --follow, --approve or --model.')
  return change
}

/** Approvals are looked up at every request; the rest Claude takes only at its start. */
function tell(context: Context, mission: MissionRecord, change: MissionChange, isRestarted: boolean): void {
  const { id } = mission
  const isForStart = 'permission_mode' in change || 'model' in change
  if (isRestarted) {
    requestRestart(context.paths.mission(id).run)
    context.err.line(`${shortId(id)} starts anew as soon as it is idle.`)
  } else if (isForStart) {
    context.err.line(takesEffectLater(mission))
  }
}

async function printJson(context: Context, db: Database, mission: MissionRecord): Promise<void> {
  context.out.line(JSON.stringify((await rosterOf(context, db, [mission]))[0]))
}
